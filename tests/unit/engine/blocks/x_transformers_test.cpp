// SPDX-License-Identifier: Apache-2.0
// Norms, residual connections and options inside sublayers that x-transformers has, too: golden cases of its own modules, and
// the variants of docs/x_transformers.md.
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/model/intervened_model.h"
#include "engine/spec/cost.h"
#include "engine/verify/one_block.h"
#include "engine/verify/stack_under_test.h"
#include "tests/unit/engine/blocks/block_checks.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

namespace heddle {
namespace {

using testing::SizeIs;
using testing_support::buildTiny;
using testing_support::expectGolden;
using testing_support::expectSameOnEveryPathAndByStep;
using testing_support::resolveTiny;
using testing_support::streamOf;
using testing_support::words;
using verify::OneBlock;
using verify::StackUnderTest;
using verify::tensorFromJson;

void load(const ParameterStore& store, const Json& weights, const std::string& root = "") {
    const at::NoGradGuard noGrad;
    ASSERT_EQ(store.entries().size(), weights.size());
    for (const auto& [path, tensor] : store.entries())
        at::Tensor(tensor).copy_(tensorFromJson(weights.at(path.substr(root.size())), at::kDouble));
}

TEST(XTransformers, NormsAndResidualsAreThoseOfItsModules) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/tests/oracle/x_transformers.json");
    const at::TensorOptions options(at::kDouble);
    const at::Tensor s = tensorFromJson(golden.at("s"), at::kDouble).unsqueeze(0);
    ASSERT_THAT(golden.at("forms"), SizeIs(8));
    for (const auto& [name, form] : golden.at("forms").items()) {
        SCOPED_TRACE(name);
        const at::Tensor x = tensorFromJson(golden.at("x"), at::kDouble).unsqueeze(0).requires_grad_();
        OneBlock one{form.at("slot"), form.at("form").at("kind"), form.at("form"), {}};
        one.params.erase("kind");
        one.dims.d = x.size(-1);
        if (one.slot == "norm") {
            const auto made = one.make<Norm>(options);
            load(made.store, form.at("weights"));
            expectGolden(x, made->normalise(x), made.store.entries(), form, 1e-12);
        } else {
            const auto made = one.make<Residual>(options);
            load(made.store, form.at("weights"));
            expectGolden(x, made->join(x, x, s, {}), made.store.entries(), form, 1e-12);
        }
    }
}

TEST(XTransformers, SublayersAreThoseOfItsModules) {
    const Json golden = readJsonFile(HEDDLE_SOURCE_DIR "/tests/oracle/x_transformers.json");
    const std::string root = "encoder.layers.";
    ASSERT_THAT(golden.at("sublayers"), SizeIs(11));
    for (const auto& [name, form] : golden.at("sublayers").items())
        for (const auto path : {Forward::Path::Fused, Forward::Path::Reference}) {
            SCOPED_TRACE(name);
            const StackUnderTest stack(form.at("document"), at::kDouble);
            load(stack.store(), form.at("weights"), root);
            EXPECT_EQ(stack.counts().built, stack.counts().formula);
            const at::Tensor x = tensorFromJson(golden.at("wide"), at::kDouble).unsqueeze(0).requires_grad_();
            const KeyMasks keys(at::zeros({1, x.size(1)}, at::kBool), x.size(1), at::kDouble);
            MixContext context;
            context.self = &keys;
            std::map<std::string, at::Tensor> parameters;
            for (const auto& [full, tensor] : stack.store().entries()) parameters[full.substr(root.size())] = tensor;
            expectGolden(x, stack.run(x, context, {.path = path}), parameters, form, 1e-10);
        }
}

/// The flags and variants of the page's tables; rows without a variant are left out.
std::vector<std::pair<std::string, Json>> variantsOfThePage() {
    std::vector<std::pair<std::string, Json>> all;
    std::istringstream page(readWholeFile(HEDDLE_SOURCE_DIR "/docs/x_transformers.md"));
    const std::regex row(R"(\| (.*?) \| `(\{.*?\})` \|.*)");
    std::smatch found;
    for (std::string line; std::getline(page, line);)
        if (std::regex_match(line, found, row)) all.emplace_back(found[1], parseJson(found[2].str(), "docs/x_transformers.md"));
    return all;
}

TEST(XTransformers, EveryVariantOfThePageIsBuiltAndCounted) {
    const auto variants = variantsOfThePage();
    ASSERT_THAT(variants, SizeIs(43));
    for (const auto& [flag, over] : variants) {
        SCOPED_TRACE(flag);
        Json document = over;
        document["topology"] = "decoder";
        const auto model = buildTiny(document);
        EXPECT_EQ(model->parameters().count(), countCost(resolveTiny(document)).parameters);
        EXPECT_TRUE(at::isfinite(streamOf(*model, words())).all().item<bool>());
        expectSameOnEveryPathAndByStep(*model, 1e-11);
    }
}

/// The constant ½ of both feed-forward networks is the same as halved output projections.
TEST(MacaronLayer, HalvesBothFeedForwardNetworks) {
    const auto layersWith = [](const Json& residual) {
        Json document{{"topology", "decoder"}};
        document["decoder"]["sublayers"] = {Json{{"name", "ffn"}, {"residual", residual}}, Json{{"name", "self"}},
                                            Json{{"name", "ffn2"}, {"residual", residual}}};
        return buildTiny(document);
    };
    const auto halved = layersWith({{"kind", "alpha"}, {"init", 0.5}, {"form", "fixed"}}), plain = layersWith("add");
    const at::Tensor y = streamOf(*halved, words());
    EXPECT_GT(testing_support::distance(y, streamOf(*plain, words())), 1e-3);
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : plain->parameters().entries())
        if (path.find(".ffn.out.") != std::string::npos) tensor.mul_(0.5);
    EXPECT_LT(testing_support::distance(y, streamOf(*plain, words())), 1e-12);
    const IntervenedModel clamped(*halved, {ClampExposure{"decoder.layers.1.ffn2.residual.alpha", 1}});
    EXPECT_GT(testing_support::distance(y, streamOf(clamped, words())), 1e-3) << "the constant can be replaced";
}

TEST(HeadScale, MultipliesEachHead) {
    Json document{{"topology", "decoder"}};
    document["decoder"]["sublayers"] = {Json{{"name", "self"}, {"adjuster", {{"kind", "head_scale"}}}}, Json{{"name", "ffn"}}};
    const auto scaled = buildTiny(document);
    const auto plain = buildTiny({{"topology", "decoder"}});
    testing_support::copyShared(*plain, *scaled);
    EXPECT_EQ(testing_support::distance(streamOf(*scaled, words()), streamOf(*plain, words())), 0) << "γ is 1 at the start";
    const at::NoGradGuard noGrad;
    const at::Tensor factors = at::tensor({0.5, -1.0, 2.0, 0.0}, at::kDouble);
    for (const char* layer : {"decoder.layers.0.self.", "decoder.layers.1.self."}) {
        scaled->parameters().find(std::string(layer) + "adjuster.weight").copy_(factors);
        const at::Tensor out_DV = plain->parameters().find(std::string(layer) + "value.out.weight");
        out_DV.mul_(factors.repeat_interleave(4));  // columns of W_O, four for each head
    }
    EXPECT_LT(testing_support::distance(streamOf(*scaled, words()), streamOf(*plain, words())), 1e-12);
}

/// Parisotto et al. 2019: with a large b at the start the block passes the residual stream.
TEST(GruResidual, StartsNearTheStream) {
    OneBlock one{"residual", "gru", {{"bias_init", 30}}, {}};
    one.dims.d = 4;
    const auto made = one.make<Residual>(at::kDouble);
    verify::fillNormal(made.store, 0.1, 3);
    const at::NoGradGuard noGrad;
    made.store.find("block.keep").fill_(30);
    const at::Tensor r = verify::normalTensor({1, 3, 4}, 1), s = verify::normalTensor({1, 3, 4}, 2);
    EXPECT_LT(testing_support::distance(made->join(r, r, s, {}), r), 1e-9);
    made.store.find("block.keep").fill_(-30);
    EXPECT_GT(testing_support::distance(made->join(r, r, s, {}), r), 0.1) << "the candidate";
}

}  // namespace
}  // namespace heddle
