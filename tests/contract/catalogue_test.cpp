// SPDX-License-Identifier: Apache-2.0
// What every block promises by its descriptor alone; the built modules are checked beside the engine.
#include "engine/spec/catalogue.h"
#include "engine/spec/manual.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <regex>
#include <set>

namespace heddle {

void PrintTo(const BlockDescriptor& block, std::ostream* out) {
    *out << block.slot << "." << block.id;
}  // NOLINT: found by name

namespace {

using Type = FieldSchema::Type;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool isSnakeCase(const std::string& text) {
    static const std::regex pattern("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    return std::regex_match(text, pattern);
}

BlockContext context(const std::string& sublayer) {
    BlockContext where;
    where.dims = {24, 40, 3, 8, 8, 2, 2, 16, 50, 50};
    if (!sublayer.empty()) where.stack = StackName::Decoder;
    where.sublayer = choiceNamed<SublayerName>(sublayer);
    return where;
}

class EveryBlock : public ::testing::TestWithParam<BlockDescriptor> {
protected:
    const BlockDescriptor& block() const { return GetParam(); }

    FieldSchema schema() const { return parameterSchema(block()); }
    Json defaults() const { return withDefaults(schema(), Json::object()); }

    /// A sublayer (or none) where the slot can stand.
    std::string place() const {
        for (const char* sublayer : {"self", "ffn", "lstm"}) {
            const auto slots = sublayerSlots(sublayer);
            if (std::find(slots.begin(), slots.end(), block().slot) != slots.end()) return sublayer;
        }
        return "";
    }

    bool isOfStack() const { return std::find(stackSlots().begin(), stackSlots().end(), block().slot) != stackSlots().end(); }

    /// What a block may need around it.
    struct Surroundings {
        Topology topology;
        bool isInSelfAlone = false;      // some fit attention sublayers only
        int heads = 1;                   // some need pairs of heads
        const char* normPlace = "post";  // some residuals need this place, others "pre" or "both"
    };

    /// A variant with this block and where it stands there.
    std::pair<Json, std::string> chosenIn(const Surroundings& in) const {
        const auto& [topology, isInSelfAlone, heads, normPlace] = in;
        const std::string stack = stacksOf(topology).front();
        const Json value{{kindKey(block().slot), block().id}};
        // What the pickiest blocks need: one head, one layer, and a direct path for its gates.
        Json document{{"topology", wordOf(topology)},
                      {"dims", {{"heads", heads}, {"layers_enc", 1}, {"layers_dec", 1}}},
                      {"defaults", {{"direct", "vx"}}}};
        if (block().slot == "residual" && topology != Topology::BiLstm)
            document["defaults"]["norm"] = {{"kind", "layernorm"}, {"place", normPlace}};
        if (block().id == "directional") document["defaults"]["value"] = "directional";  // positions by direction need them
        if (isOfStack()) {
            document[stack][block().slot] = value;
            return {document, stack + "." + block().slot};
        }
        if (place().empty()) {
            document[block().slot] = value;
            return {document, block().slot};
        }
        if (isInSelfAlone)
            document[stack]["sublayers"] = {{{"name", "self"}, {block().slot, value}}, {{"name", "ffn"}}};
        else
            document["defaults"][block().slot] = value;
        return {document, stack + ".layers.0." + (isInSelfAlone ? "self" : place()) + "." + block().slot};
    }

    /// The defaults with one parameter changed, for every choice, flag, bound and list, inside objects too.
    std::vector<Json> settings() const {
        std::vector<Json> made;
        vary(block().parameters, defaults(), [&](const Json& params) { made.push_back(params); });
        return made;
    }

private:
    using Take = std::function<void(const Json& params)>;

    static void vary(const std::vector<FieldSchema>& fields, const Json& base, const Take& take) {
        take(base);
        for (const auto& field : fields) {
            const auto with = [&](const Json& value) {
                Json params = base;
                params[field.key] = value;
                take(params);
            };
            for (const auto& choice : field.choices) with(choice);
            if (field.type == Type::Boolean) with(!field.defaultValue.get<bool>());
            if (field.type == Type::Integer || field.type == Type::Number) {
                const bool isWhole = field.type == Type::Integer;
                for (const double bound : {field.minimum, field.maximum})
                    with(isWhole ? Json(static_cast<std::int64_t>(bound)) : Json(bound));
            }
            if (field.type == Type::List)
                for (const Json& value : {Json::array({1}), Json::array({1, 2, 3}), Json::array()}) with(value);
            if (field.type == Type::Object) vary(field.fields, withDefaults(field, Json::object()), with);
        }
    }
};

TEST_P(EveryBlock, SaysWhatItIs) {
    EXPECT_TRUE(isSnakeCase(block().slot));
    EXPECT_TRUE(isSnakeCase(block().id));
    EXPECT_FALSE(block().title.empty());
    EXPECT_FALSE(block().formula.empty());
    EXPECT_FALSE(block().shapes.empty());
    EXPECT_FALSE(block().reference.empty());
    ASSERT_FALSE(block().summary.empty());
    EXPECT_EQ(block().summary.back(), '.') << "one sentence";
    std::string sentence = block().summary;
    for (std::size_t at; (at = sentence.find("et al. ")) != std::string::npos;) sentence.erase(at, 7);
    EXPECT_EQ(sentence.find(". "), std::string::npos) << "one sentence";
}

TEST_P(EveryBlock, FormulasFollowTheOptions) {
    static const std::set<std::string> computes{"act",   "bias",       "class_token", "double_exp", "form",
                                                "gate",  "gate_input", "mean",        "norm",       "pool",
                                                "scale", "shape",      "side",        "source",     "split"};
    std::set<std::string> followed;
    for (const FormulaCase& other : otherFormulas(block())) {
        EXPECT_NE(other.formula, block().formula);
        EXPECT_EQ(other.formula.find("act("), std::string::npos) << "the activation has a name: " << other.formula;
        followed.insert(other.option);
    }
    for (const auto& field : block().parameters)
        EXPECT_TRUE(!computes.contains(field.key) || followed.contains(field.key)) << field.key << ": " << block().formula;
}

TEST(Formulas, ShowWhatTheGateOfGrcReads) {
    const BlockDescriptor& grc = builtinCatalogue().at("residual", "grc");
    const auto with = [&](const char* input) {
        return grc.formulaWith({{"kind", "grc"}, {"gate_input", input}, {"bias_init", nullptr}});
    };
    EXPECT_EQ(grc.formula, "y = r + σ(W_g r + b_g) ⊙ s");
    EXPECT_EQ(with("r"), grc.formula);
    EXPECT_EQ(with("norm_r"), "y = r + σ(W_g N(r) + b_g) ⊙ s");
    EXPECT_EQ(with("concat"), "y = r + σ(W_g [r, s] + b_g) ⊙ s");
    EXPECT_NE(blockManual(builtinCatalogue()).find("- with `gate_input s`: `y = r + σ(W_g s + b_g) ⊙ s`"), std::string::npos);
}

TEST_P(EveryBlock, ParametersAreDescribedAndTheirDefaultsValid) {
    std::set<std::string> keys;
    for (const auto& field : block().parameters) {
        EXPECT_TRUE(isSnakeCase(field.key)) << field.key;
        EXPECT_TRUE(keys.insert(field.key).second) << field.key << " twice";
        EXPECT_TRUE(field.key != kindKey(block().slot)) << "names the block itself";
        EXPECT_FALSE(field.help.empty()) << field.key;
        EXPECT_TRUE(field.nullable || !field.defaultValue.is_null()) << field.key << " has no default";
        if (field.type == Type::Object) {
            EXPECT_FALSE(field.fields.empty()) << field.key;
            for (const auto& member : field.fields) EXPECT_FALSE(member.help.empty()) << field.key << "." << member.key;
        }
        if (field.type == Type::Integer || field.type == Type::Number) {
            EXPECT_TRUE(std::isfinite(field.minimum) && std::isfinite(field.maximum)) << field.key << " has no range";
        }
    }
    std::vector<Problem> problems;
    validate(schema(), defaults(), block().id, problems);
    EXPECT_TRUE(problems.empty()) << problems.front().path << ": " << problems.front().what;
    EXPECT_EQ(withoutDefaults(schema(), defaults()), Json::object());
    EXPECT_EQ(defaults().size(), block().parameters.size()) << "every parameter is there once defaults are filled in";
}

TEST_P(EveryBlock, CountsAreSaneForEverySetting) {
    ASSERT_TRUE(block().parameterCount);
    ASSERT_TRUE(block().flopsPerToken);
    for (const auto& params : settings()) {
        EXPECT_GE(block().parameterCount(context(place()), params), 0) << params;
        const double flops = block().flopsPerToken(context(place()), params);
        EXPECT_TRUE(std::isfinite(flops) && flops >= 0) << params;
    }
}

TEST_P(EveryBlock, ChecksAcceptTheDefaultsAndNeverThrow) {
    if (!block().check) return;
    BlockContext single = context(place());
    single.dims = {24, 40, 1, 24, 24, 1, 1, 16, 50, 50};  // one head, one layer
    auto problem = block().check(single, defaults());
    single.topology = Topology::Encoder;  // images have no decoder
    if (problem) problem = block().check(single, defaults());
    single.dims.heads = 2;  // pairs of heads
    if (problem) problem = block().check(single, defaults());
    EXPECT_FALSE(problem) << problem->path << ": " << problem->what;
    for (const auto& params : settings())
        for (const char* sublayer : {"self", "cross", "ffn"}) {
            const auto found = block().check(context(sublayer), params);
            if (!found) continue;
            EXPECT_FALSE(found->what.empty() || found->next.empty()) << params;
            EXPECT_TRUE(found->path.empty() || params.contains(found->path) || found->path == "source" || found->path == "kind")
                << found->path << " is no parameter";
        }
}

TEST_P(EveryBlock, ExposuresCanBeDrawn) {
    std::set<std::string> ids;
    for (const auto& exposure : block().exposures) {
        EXPECT_TRUE(isSnakeCase(exposure.id)) << exposure.id;
        EXPECT_TRUE(ids.insert(exposure.id).second) << exposure.id << " twice";
        EXPECT_FALSE(exposure.title.empty()) << exposure.id;
        EXPECT_FALSE(exposure.axes.empty()) << exposure.id;
        EXPECT_LT(exposure.low, exposure.high) << exposure.id;
    }
}

TEST_P(EveryBlock, CanBeChosenInAVariant) {
    // Some blocks fit some topologies only (tied tables need two sides, images have no decoder).
    std::string refusals;
    for (const Surroundings& in : std::vector<Surroundings>{{Topology::EncoderDecoder},
                                                            {Topology::Encoder},
                                                            {Topology::Decoder},
                                                            {Topology::BiLstm},
                                                            {Topology::Encoder, true},
                                                            {Topology::Encoder, true, 2},
                                                            {Topology::Encoder, false, 1, "pre"},
                                                            {Topology::Encoder, false, 1, "both"}}) {
        const auto [document, path] = chosenIn(in);
        std::vector<Problem> problems;
        const auto variant = VariantSpec::parse(document, builtinCatalogue(), problems);
        const bool stands = problems.empty() && variant.resolvedTree().contains(path);
        if (stands) {
            EXPECT_EQ(variant.resolvedTree().at(path).at(kindKey(block().slot)), block().id);
            return;
        }
        refusals += wordOf(in.topology) + ": " + (problems.empty() ? "no such place" : problems.front().what) + "\n";
    }
    FAIL() << refusals;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryBlock, ::testing::ValuesIn(builtinCatalogue().blocks()),
                         [](const auto& tested) { return tested.param.slot + "_" + tested.param.id; });

TEST(Catalogue, IdsAreUniqueWithinTheirSlot) {
    std::set<std::string> seen;
    for (const auto& block : builtinCatalogue().blocks())
        EXPECT_TRUE(seen.insert(block.slot + "." + block.id).second) << block.slot << "." << block.id;
}

TEST_P(EveryBlock, StatesFactsOfItsSlotAlone) {
    const BlockDescriptor& b = block();
    const auto isIn = [&](const std::set<std::string>& slots) { return slots.contains(b.slot); };
    EXPECT_EQ(b.outputs != HeadOutputs::None, isIn({"head"})) << "tasks ask every head for its outputs";
    const auto fits = [&](bool isStated, const std::set<std::string>& slots) { return !isStated || isIn(slots); };
    EXPECT_TRUE(fits(b.sees != VisibleKeys::All || b.seesOf, {"mask", "scorer"}));
    EXPECT_FALSE(b.showsFuture && isIn({"mask"})) << "sees says it";
    EXPECT_TRUE(fits(b.isPerHead, {"scorer", "value"}));
    EXPECT_TRUE(fits(b.givesWeights || b.takesRelative, {"scorer"}));
    EXPECT_TRUE(fits(b.takesKeyHeads, {"scorer", "value"}));
    EXPECT_TRUE(fits(b.changesScores, {"relative"}));
    EXPECT_TRUE(fits(b.hasProjection || b.tellsOrder, {"value"}));
    EXPECT_TRUE(fits(b.mixesHeads, {"normaliser"}));
    EXPECT_TRUE(fits(b.leavesOrderToValues, {"position"}));
    EXPECT_TRUE(fits(b.readsInput, {"h0", "direct", "combine"}));
    EXPECT_TRUE(fits(b.hasMemory, {"combine"}));
    EXPECT_TRUE(fits(b.sharesWeights, {"share"}));
    EXPECT_TRUE(fits(b.streams || b.reads != DepthReading::None || b.branchGain, {"residual"}));
    EXPECT_FALSE(b.streams && b.reads != DepthReading::None) << "one or the other";
    EXPECT_TRUE(b.sharesWeights || !b.iterates) << "one layer is iterated";
    EXPECT_TRUE(fits(b.patches || b.tiesOutput || !b.otherTie.empty(), {"embed"}));
}

TEST(Catalogue, FindsBlocksAndSuggestsForUnknownOnes) {
    const auto& catalogue = builtinCatalogue();
    EXPECT_EQ(catalogue.at("residual", "grc").id, "grc");
    EXPECT_EQ(catalogue.find("residual", "eau"), nullptr);
    EXPECT_FALSE(catalogue.ofSlot("residual").empty());
    for (const BlockDescriptor* block : catalogue.ofSlot("residual")) EXPECT_EQ(catalogue.find("residual", block->id), block);
    EXPECT_THAT(catalogue.ofSlot("nothing"), IsEmpty());
    EXPECT_THAT(whyRefused([&] { catalogue.at("residual", "gcr"); }), HasSubstr("did you mean \"grc\"?"));
    EXPECT_THAT(whyRefused([&] { catalogue.at("resdual", "grc"); }), HasSubstr("did you mean \"residual\"?"));
}

TEST(Presets, EachParsesAndTellsWhatItIs) {
    ASSERT_FALSE(presetNames().empty());
    for (const auto& name : presetNames()) {
        const Json document = presetDocument(name);
        EXPECT_FALSE(document.contains("preset")) << name << ": a preset stands alone";
        for (const char* key : {"title", "summary", "reference"})
            EXPECT_FALSE(document.value("meta", Json::object()).value(key, "").empty()) << name << " has no " << key;
        EXPECT_NO_THROW(VariantSpec::parse(document, builtinCatalogue())) << name;
        EXPECT_EQ(VariantSpec::parse(document, builtinCatalogue()).hash(),
                  VariantSpec::parse({{"preset", name}}, builtinCatalogue()).hash())
            << name;
    }
}

}  // namespace
}  // namespace heddle
