// SPDX-License-Identifier: Apache-2.0
// What blocks of different slots demand of each other, and the checks of the StarSaber blocks (variants.md section 5, "Rules").
#include "engine/spec/variant_rules.h"

#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// An encoder of one star layer with `slots` in it, `over` laid over (RFC 7386).
Json star(const Json& slots, const Json& over = Json::object()) {
    Json sublayer{{"name", "star"}};
    sublayer.update(slots);
    Json document{{"topology", "encoder"},
                  {"dims", {{"d", 8}, {"heads", 1}, {"layers_enc", 1}, {"vocab_src", 5}}},
                  {"encoder", {{"sublayers", {sublayer}}}}};
    document.merge_patch(over);
    return document;
}

std::int64_t countOf(const Json& document) {
    return countCost(VariantSpec::parse(document, builtinCatalogue()).resolve()).parameters;
}

Json shareOf(const char* kind) { return {{"encoder", {{"share", kind}}}}; }

TEST(Rules, AStarLayerStandsAsItIs) {
    EXPECT_THAT(problemsOf(star(Json::object())), IsEmpty());
    EXPECT_THAT(problemsOf(star(Json::object(), shareOf("fixed_point"))), IsEmpty());
    const auto variant = VariantSpec::parse(star(Json::object()), builtinCatalogue()).resolve();
    const auto& slots = variant.encoder[0].sublayers[0].slots;
    EXPECT_EQ(slots.at("scorer").id, "bilinear");
    EXPECT_EQ(slots.at("value").id, "directional");
    EXPECT_EQ(slots.at("direct").id, "vx");
    EXPECT_EQ(slots.at("combine").id, "tanh");
}

TEST(Rules, FixedPointForbidsScoresOfEarlierLayers) {
    const Json carrying{{"score", {{"rule", "add"}}}};
    EXPECT_THAT(problemsOf(star(carrying, shareOf("fixed_point"))),
                AllOf(StartsWith("encoder.layers.0.star.score|"), HasSubstr("set score to none")));
    EXPECT_THAT(problemsOf(star(carrying, shareOf("shared"))), IsEmpty());
}

TEST(Rules, FixedPointForbidsACell) {
    EXPECT_THAT(problemsOf(star({{"combine", "lstm"}}, shareOf("fixed_point"))),
                AllOf(StartsWith("encoder.layers.0.star.combine|"), HasSubstr("use combine gru")));
    EXPECT_THAT(problemsOf(star({{"combine", "lstm"}}, shareOf("shared"))), IsEmpty());
    EXPECT_THAT(problemsOf(star({{"combine", "gru"}}, shareOf("fixed_point"))), IsEmpty());
}

TEST(Rules, FixedPointIsThatOfOneLayer) {
    Json two = star(Json::object(), shareOf("fixed_point"));
    two["dims"]["layers_enc"] = 2;
    EXPECT_THAT(problemsOf(two), AllOf(StartsWith("encoder.share|"), HasSubstr("set dims.layers_enc to 1")));
    const Json implicit{{"encoder", {{"share", {{"kind", "fixed_point"}, {"grad", "implicit"}, {"m", 3}}}}}};
    EXPECT_THAT(problemsOf(star(Json::object(), implicit)), StartsWith("encoder.share.m|"));
}

TEST(Rules, AStacksSlotsLieOverThePresets) {
    const auto shareOfPreset = [](const Json& share) {
        const Json document{{"preset", "star-fixedpoint"}, {"encoder", {{"share", share}}}};
        return VariantSpec::parse(document, builtinCatalogue()).resolvedTree().at("encoder.share");
    };
    EXPECT_EQ(shareOfPreset("shared"), Json({{"kind", "shared"}}));
    EXPECT_EQ(shareOfPreset({{"grad", "implicit"}}).at("kind"), "fixed_point");
    EXPECT_EQ(shareOfPreset({{"grad", "implicit"}}).at("grad"), "implicit");
    Json document{{"preset", "star-fixedpoint"}};
    for (const char* set :
         {"encoder.share.grad=phantom", "encoder.share.m=2", "encoder.h0=zeros", "encoder.star.direct.bias=false"})
        applySet(document, set);
    const Json tree = VariantSpec::parse(document.at("variant"), builtinCatalogue()).resolvedTree();
    EXPECT_EQ(tree.at("encoder.share").at("grad"), "phantom");
    EXPECT_EQ(tree.at("encoder.share").at("m"), 2);
    EXPECT_EQ(tree.at("encoder.h0").at("kind"), "zeros");
    EXPECT_EQ(tree.at("encoder.layers.0.star.direct").at("bias"), false);
}

TEST(Rules, AdjusterBeforeTheProjectionNeedsOne) {
    for (const char* value : {"directional", "single", "heads_noproj"}) {
        const Json slots{{"value", value}, {"adjuster", {{"kind", "eau"}, {"where", "before_wo"}}}};
        EXPECT_THAT(problemsOf(star(slots)),
                    AllOf(StartsWith("encoder.layers.0.star.adjuster.where|"), HasSubstr("value heads_proj")));
    }
    EXPECT_THAT(problemsOf(star({{"value", "heads_proj"}, {"adjuster", {{"kind", "eau"}, {"where", "before_wo"}}}})),
                IsEmpty());
    EXPECT_THAT(problemsOf(star({{"adjuster", "eau"}})), IsEmpty());
}

TEST(Rules, ChainHasNoScores) {
    const Json chain{{"scorer", "chain"}, {"value", "single"}};
    EXPECT_THAT(problemsOf(star(chain)), IsEmpty());
    Json carrying = chain, sparse = chain;
    carrying["score"]["rule"] = "add";
    sparse["normaliser"] = "entmax15";
    EXPECT_THAT(problemsOf(star(carrying)), AllOf(StartsWith("encoder.layers.0.star.score|"), HasSubstr("scorer bilinear")));
    EXPECT_THAT(problemsOf(star(sparse)), StartsWith("encoder.layers.0.star.normaliser|"));
    EXPECT_THAT(problemsOf(star({{"scorer", "chain"}})),
                AllOf(StartsWith("encoder.layers.0.star.value|"), HasSubstr("single")));
}

TEST(Rules, DirectionalValuesNeedBothSides) {
    const auto masked = [](const char* mask, const char* split) {
        return problemsOf(star({{"mask", mask}, {"value", {{"kind", "directional"}, {"split", split}}}}));
    };
    EXPECT_THAT(masked("causal", "self_right"), IsEmpty());
    EXPECT_THAT(masked("padding", "self_left"), IsEmpty());
    for (const char* mask : {"causal", "padding_causal"})
        EXPECT_THAT(masked(mask, "self_left"), AllOf(StartsWith("encoder.layers.0.star.value.split|"), HasSubstr("self_both")));
}

TEST(Rules, SelectorsChooseAmongWhatTheyMaySee) {
    const auto problems = [](const char* stack, const Json& slots) {
        Json self{{"name", "self"}, {"selector", "sea"}};
        self.update(slots);
        return problemsOf({{"topology", stack}, {stack, {{"sublayers", {self, Json{{"name", "ffn"}}}}}}});
    };
    EXPECT_THAT(problems("encoder", Json::object()), IsEmpty());
    EXPECT_THAT(problems("decoder", Json::object()), IsEmpty());
    EXPECT_THAT(problems("encoder", {{"scorer", "alibi"}}),
                AllOf(StartsWith("encoder.layers.0.self.scorer|"), HasSubstr("rotary")));
    EXPECT_THAT(problems("encoder", {{"value", "heads_noproj"}}), StartsWith("encoder.layers.0.self.value|"));
    EXPECT_THAT(problems("encoder", {{"normaliser", "talking_heads"}}), StartsWith("encoder.layers.0.self.normaliser|"));
    for (const char* group : {"query", "causal_batch", "head", "batch"}) {
        const Json selector{{"selector", {{"kind", "sea"}, {"group", group}}}};
        EXPECT_THAT(problems("encoder", selector), IsEmpty()) << group;
        const bool isOfAQuery = std::string(group) == "query" || std::string(group) == "causal_batch";
        EXPECT_EQ(problems("decoder", selector).empty(), isOfAQuery) << group;
    }
    const Json odd{{"selector", {{"kind", "sea"}, {"columns", 7}}}};
    EXPECT_THAT(problems("encoder", odd), AllOf(StartsWith("encoder.layers.0.self.selector.columns|"), HasSubstr("even")));
    EXPECT_THAT(problemsOf({{"defaults", {{"selector", "sea"}}}}),
                AllOf(StartsWith("decoder.layers.0.cross.selector"), HasSubstr("cross-attention")));
    const Json still{{"topology", "encoder"},
                     {"dims", {{"layers_enc", 1}}},
                     {"encoder", {{"share", "fixed_point"}}},
                     {"defaults", {{"selector", "sea"}}}};
    EXPECT_THAT(problemsOf(still), AllOf(StartsWith("encoder.layers.0.self.selector|"), HasSubstr("discontinuous")));
}

TEST(Rules, WithoutASelectorAVariantMeansWhatItMeant) {
    const auto variant = [](const Json& document) { return VariantSpec::parse(document, builtinCatalogue()); };
    const Json plain{{"preset", "eau-full"}};
    const VariantSpec stated = variant({{"preset", "eau-full"}, {"defaults", {{"selector", "none"}}}});
    EXPECT_EQ(stated.hash(), variant(plain).hash());
    EXPECT_EQ(variant(plain).compact().dump().find("selector"), std::string::npos);
    EXPECT_EQ(variant(plain).hash(), "1a4ca4bf327e91e64484c0baf7cd4abd6929bdd1668a0a7b747f55a928511f53")
        << "as it was before there were selectors";
}

TEST(Rules, AGateOfTheDirectPathNeedsOne) {
    EXPECT_THAT(problemsOf(star({{"combine", "tanh_gated"}, {"direct", "none"}})),
                AllOf(StartsWith("encoder.layers.0.star.combine|"), HasSubstr("set direct to vx")));
    EXPECT_THAT(problemsOf(star({{"combine", "gru"}, {"direct", "none"}})), IsEmpty());
}

TEST(Rules, AStackThatStartsFromAConstantMustSeeItsInput) {
    for (const char* start : {"zeros", "learned"}) {
        const Json from{{"encoder", {{"h0", start}}}};
        EXPECT_THAT(problemsOf(star(Json::object(), from)), IsEmpty());
        EXPECT_THAT(problemsOf(star({{"direct", "none"}}, from)), AllOf(StartsWith("encoder.h0|"), HasSubstr("h0 to input")));
        EXPECT_THAT(problemsOf(star({{"direct", "none"}, {"combine", "gru"}}, from)), IsEmpty());
    }
    EXPECT_THAT(problemsOf(star({{"direct", "none"}}, {{"encoder", {{"h0", "linear"}}}})), IsEmpty());
}

TEST(Rules, PositionByDirectionNeedsDirectionalValues) {
    const Json byDirection{{"position", "directional"}};
    EXPECT_THAT(problemsOf(star(Json::object(), byDirection)), IsEmpty());
    EXPECT_THAT(problemsOf(star({{"value", "single"}}, byDirection)),
                AllOf(StartsWith("position|"), HasSubstr("sinusoid or none")));
}

TEST(Rules, OneHeadAndTheWidthOfTheStream) {
    Json heads = star(Json::object());
    heads["dims"]["heads"] = 2;
    EXPECT_THAT(problemsOf(heads), AllOf(StartsWith("encoder.layers.0.star.scorer|"), HasSubstr("set dims.heads to 1")));
    heads["encoder"]["sublayers"][0]["scorer"] = "dot";
    EXPECT_THAT(problemsOf(heads), IsEmpty());
    for (const char* value : {"directional", "single", "heads_noproj"}) {
        Json narrow = star({{"value", value}, {"scorer", "dot"}});
        narrow["dims"].update({{"heads", 2}, {"value_dim", 3}});
        EXPECT_THAT(problemsOf(narrow),
                    AllOf(StartsWith("encoder.layers.0.star.value|"), HasSubstr("set dims.value_dim to 4")));
    }
}

TEST(Rules, NothingOfAnotherSequenceIsBeforeOrAfter) {
    const Json cross{{"dims", {{"heads", 1}}},
                     {"decoder", {{"sublayers", {{{"name", "cross"}, {"value", "directional"}, {"scorer", "chain"}}}}}}};
    EXPECT_THAT(problemsOf(cross),
                AllOf(HasSubstr("decoder.layers.0.cross.value|"), HasSubstr("decoder.layers.0.cross.scorer|")));
}

TEST(Rules, AreSaidOnceForAllLayersAndCheckedAgainWhenResolved) {
    Json document = star({{"combine", "tanh_gated"}, {"direct", "none"}});
    document["dims"]["layers_enc"] = 3;
    std::vector<Problem> problems;
    VariantSpec::parse(document, builtinCatalogue(), problems);
    EXPECT_EQ(problems.size(), 1u);
}

TEST(Rules, OneAlphaALayerIsCountedOnce) {
    const auto countWith = [](const char* scope, const char* form) {
        Json document = star(Json::object());
        document["encoder"]["sublayers"] = Json::array({{{"name", "star"}}, {{"name", "ffn"}}});
        document["dims"]["layers_enc"] = 3;
        document["defaults"]["residual"] = {{"kind", "alpha"}, {"scope", scope}, {"form", form}};
        return countOf(document);
    };
    EXPECT_EQ(countWith("sublayer", "constant") - countWith("layer", "constant"), 3);
    EXPECT_EQ(countWith("sublayer", "function") - countWith("layer", "function"), 3 * 9);
    Json wide = star({{"residual", {{"kind", "alpha"}, {"form", "function"}, {"shape", "vector"}}}});
    EXPECT_THAT(problemsOf(wide), StartsWith("encoder.layers.0.star.residual.shape|"));
}

TEST(Rules, AnAlphaThatIsNotLearnedIsOneNumberOfItsSublayer) {
    const auto with = [](const Json& more) {
        Json residual{{"kind", "alpha"}, {"init", 0.5}, {"form", "fixed"}};
        residual.update(more);
        return star({{"residual", residual}});
    };
    EXPECT_EQ(countOf(with(Json::object())), countOf(star({{"residual", "add"}})));
    EXPECT_THAT(problemsOf(with({{"shape", "vector"}})), StartsWith("encoder.layers.0.star.residual.shape|"));
    EXPECT_THAT(problemsOf(with({{"scope", "layer"}})), StartsWith("encoder.layers.0.star.residual.scope|"));
}

/// Layer counts of variants.md 2.3 and 5.1.
TEST(Rules, StarLayersHaveThePapersCounts) {
    const std::int64_t square = 8 * 8 + 8, rest = countOf(star(Json::object())) - 4 * square;
    EXPECT_EQ(countOf(star({{"combine", "tanh_gated"}})) - rest, 8 * square);
    EXPECT_EQ(countOf(star({{"combine", "gru"}})) - rest, 8 * square);
    EXPECT_EQ(countOf(star({{"combine", "lstm"}})) - rest, 10 * square);
    EXPECT_EQ(countOf(star({{"direct", "none"}})) - rest, 3 * square);
    EXPECT_EQ(countOf(star({{"value", "single"}})) - rest, 3 * square);
    EXPECT_EQ(countOf(star(Json::object(), {{"encoder", {{"h0", "linear"}}}})) - rest, 5 * square);
    EXPECT_EQ(countOf(star(Json::object(), {{"encoder", {{"h0", "learned"}}}})) - rest, 4 * square + 8);
    const Json noBias{{"bias", false}};
    EXPECT_EQ(countOf(star({{"scorer", noBias}, {"value", noBias}, {"direct", noBias}})) - rest, 4 * 64);
    Json iterated = star(Json::object(), shareOf("fixed_point"));
    EXPECT_EQ(countOf(iterated) - rest, 4 * square);
}

TEST(Rules, AFixedPointCostsAsManyPassesAsItMayTake) {
    const auto flops = [](const Json& document) {
        const auto variant = VariantSpec::parse(document, builtinCatalogue()).resolve();
        double sum = 0;
        for (const auto& module : countCost(variant).modules)
            if (module.path.starts_with("encoder.layers.")) sum += module.flopsPerToken;
        return sum;
    };
    const Json iterated{{"encoder", {{"share", {{"kind", "fixed_point"}, {"max_iter", 7}}}}}};
    EXPECT_DOUBLE_EQ(flops(star(Json::object(), iterated)), 7 * flops(star(Json::object())));
}

/// Table 2.6 S9: 14 layers with one matrix, or 12 of which 6 keep both, have the same 42 matrices.
TEST(Rules, BothReadingsOfThePositionVariantsDepth) {
    Json document{{"preset", "star-pe"}, {"dims", {{"vocab_src", 1683}, {"classes", 1}}}};
    EXPECT_EQ(countOf(document), 11893775);
    document["dims"]["layers_enc"] = 12;
    for (int layer = 0; layer < 6; ++layer)
        document["encoder"]["layers"][std::to_string(layer)]["star"]["value"] = "directional";
    EXPECT_EQ(countOf(document), 11893775 - 2) << "two α fewer";
}

TEST(Notes, NormRIsTheStreamItselfUnlessANormStandsBefore) {
    const auto notesOf = [](const char* place) {
        const Json document{
            {"dims", {{"layers_enc", 2}, {"layers_dec", 1}}},
            {"defaults", {{"residual", {{"kind", "grc"}, {"gate_input", "norm_r"}}}, {"norm", {{"place", place}}}}}};
        return compositionNotes(VariantSpec::parse(document, builtinCatalogue()).resolve());
    };
    EXPECT_THAT(notesOf("pre"), IsEmpty());
    ASSERT_EQ(notesOf("post").size(), 5U) << "two sublayers of the encoder, three of the decoder, once for all layers";
    EXPECT_THAT(notesOf("post")[0],
                AllOf(StartsWith("encoder.layers.0.self.residual.gate_input: "), HasSubstr("norm_r equals r here")));
}

TEST(Notes, SizesOfAPresetComeFromTheDataUnlessStated) {
    const auto sizesOf = [](const Json& variant) { return RunSpec::parse({{"variant", variant}}, builtinCatalogue()).variant; };
    EXPECT_EQ(sizesOf({{"preset", "bert-base"}}).resolve().dims.vocabSrc, 0);
    EXPECT_EQ(sizesOf({{"preset", "bert-base"}, {"dims", {{"vocab_src", 30522}}}}).resolve().dims.vocabSrc, 30522);
    EXPECT_FALSE(sizesOf({{"preset", "vit-tiny"}}).statedClasses());
    EXPECT_EQ(sizesOf({{"preset", "vit-tiny"}, {"dims", {{"classes", 10}}}}).statedClasses(), 10);
    EXPECT_EQ(VariantSpec::parse({{"preset", "bert-base"}}, builtinCatalogue()).resolve().dims.vocabSrc, 30522)
        << "to be counted";
    const VariantSpec open = sizesOf({{"preset", "vit-tiny"}});
    EXPECT_EQ(open.resolve(0, 0, 7).dims.classes, 7);
    EXPECT_EQ(open.resolvedTree().at("dims").at("classes"), "from_data");
}

}  // namespace
}  // namespace heddle
