// SPDX-License-Identifier: Apache-2.0
// Properties of whole models (variants.md section 7, A1, A5).
#include "engine/model/model.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/cost.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using testing_support::ids;
using testing_support::logitsOf;
using testing_support::resolveTiny;

TEST(Model, HidesPaddingAndTheFuture) {
    const auto model = buildTiny();
    RecordingTaps taps;
    const Forward f{.taps = &taps};
    logitsOf(*model, ids({4, 5, 3, 1}), ids({2, 7, 8}), f);
    EXPECT_EQ(taps.seen().at("encoder.layers.0.self.weight").select(-1, 3).abs().max().item<double>(), 0);
    EXPECT_EQ(taps.seen().at("decoder.layers.1.cross.weight").select(-1, 3).abs().max().item<double>(), 0);
    EXPECT_EQ(at::triu(taps.seen().at("decoder.layers.0.self.weight"), 1).abs().max().item<double>(), 0);
}

TEST(Model, ARowOfPaddingGivesNumbers) {
    for (const auto path : {Forward::Path::Fused, Forward::Path::Reference}) {
        const auto model = buildTiny(Json::object(), at::kFloat);
        const Forward f{.path = path};
        const at::Tensor y = logitsOf(*model, at::full({1, 3}, kPad, at::kLong), ids({2, 7}), f);
        EXPECT_TRUE(y.isfinite().all().item<bool>());
        y.sum().backward();
        for (const auto& entry : model->parameters().entries()) EXPECT_TRUE(entry.tensor.grad().isfinite().all().item<bool>());
    }
}

/// Table 3 of the EAU/GRC paper; variants.md 1.4.
TEST(Model, CountsOfTable3) {
    struct Row {
        std::int64_t layers, d, f, baseline, full;
    };
    for (const Row& row :
         {Row{3, 256, 1024, 11066797, 13239085}, Row{2, 256, 1024, 9223597, 10671789}, Row{2, 128, 512, 3698221, 4061869}}) {
        const Json dims{{"d", row.d}, {"f", row.f}, {"layers_enc", row.layers}, {"layers_dec", row.layers}};
        for (const auto& [preset, count] : {std::pair{"eau-base", row.baseline}, {"eau-full", row.full}}) {
            const auto variant =
                VariantSpec::parse({{"preset", preset}, {"dims", dims}}, builtinCatalogue()).resolve(5893, 7853);
            EXPECT_EQ(countCost(variant).parameters, count);
            EXPECT_EQ(buildModel(variant, 1)->parameters().count(), count);
        }
    }
}

TEST(Model, SharedParametersStartEqual) {
    const Json eau{{"defaults", {{"adjuster", "eau"}, {"residual", "grc"}}}};
    const auto base = buildTiny(Json::object(), at::kFloat, 3), full = buildTiny(eau, at::kFloat, 3);
    test::expectSameParameters(*base, *full);
    EXPECT_GT(full->parameters().entries().size(), base->parameters().entries().size());
    EXPECT_FALSE(at::equal(base->parameters().find("head.weight"),
                           buildTiny(Json::object(), at::kFloat, 4)->parameters().find("head.weight")));
}

TEST(Model, NamesItsParameters) {
    const auto model = buildTiny({{"defaults", {{"adjuster", "eau"}, {"residual", "grc"}, {"norm", {{"final", 1}}}}}});
    for (const char* path : {"embed.source.weight", "embed.target.weight", "encoder.layers.0.self.scorer.q.weight",
                             "encoder.layers.1.self.scorer.k.bias", "encoder.layers.0.self.value.v.weight",
                             "decoder.layers.1.cross.value.out.bias", "decoder.layers.0.self.adjuster.w1.weight",
                             "decoder.layers.0.ffn.residual.gate.weight", "decoder.layers.0.ffn.ffn.in.weight",
                             "encoder.layers.0.ffn.ffn.out.bias", "encoder.layers.0.self.norm.weight", "encoder.norm.weight",
                             "decoder.norm.bias", "head.weight", "head.bias"}) {
        EXPECT_TRUE(model->parameters().find(path).defined()) << path;
    }
}

TEST(Model, DropoutIsAFunctionOfSeedAndStep) {
    const Json dropping{{"defaults", {{"dropout", {{"sublayer", 0.3}, {"attention", 0.2}}}, {"ffn", {{"inner_dropout", 0.2}}}}},
                        {"embed", {{"dropout", 0.1}}}};
    const auto model = buildTiny(dropping);
    const at::Tensor source = ids({4, 5, 6, 3}), target = ids({2, 7, 8});
    const auto at = [&](std::uint64_t seed, std::uint64_t step, std::uint32_t micro) {
        const Forward f{.training = true, .seed = seed, .step = step, .microStep = micro};
        return logitsOf(*model, source, target, f);
    };
    const at::Tensor first = at(1, 5, 0);
    EXPECT_TRUE(at::equal(first, at(1, 5, 0)));
    EXPECT_GT(distance(first, at(2, 5, 0)), 1e-6);
    EXPECT_GT(distance(first, at(1, 6, 0)), 1e-6);
    EXPECT_GT(distance(first, at(1, 5, 1)), 1e-6);
    EXPECT_GT(distance(first, logitsOf(*model, source, target)), 1e-6);
    const int threads = at::get_num_threads();
    at::set_num_threads(threads == 1 ? 2 : 1);
    EXPECT_LT(distance(first, at(1, 5, 0)), 1e-12);
    at::set_num_threads(threads);
}

TEST(Model, OrderOfDropoutAndAdjusterMatters) {
    const auto logitsWith = [](const char* order) {
        const Json over{{"defaults", {{"dropout", {{"sublayer", 0.5}, {"order", order}}}, {"adjuster", "eau"}}}};
        const Forward f{.training = true};
        return logitsOf(*buildTiny(over), ids({4, 5, 6, 3}), ids({2, 7, 8}), f);
    };
    EXPECT_GT(distance(logitsWith("after_adjuster"), logitsWith("before_adjuster")), 1e-6);
}

/// Replaces one exposure by a constant.
class Clamp final : public Taps {
public:
    Clamp(std::string module, std::string exposure, double value)
        : module_(std::move(module)), exposure_(std::move(exposure)), value_(value) {}
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        return replaces(module, exposure) ? at::full_like(value, value_) : value;
    }
    bool wants(const std::string& module, const char* exposure) const override { return replaces(module, exposure); }
    bool replaces(const std::string& module, const char* exposure) const override {
        return module == module_ && exposure == exposure_;
    }

private:
    std::string module_, exposure_;
    double value_;
};

TEST(Taps, ReplacingAGateAndWeightsActs) {
    const Json over{{"defaults", {{"residual", "grc"}, {"norm", "none"}}}, {"dims", {{"layers_enc", 1}}}};
    const auto model = buildTiny(over);
    const at::Tensor source = ids({4, 5, 6, 3});
    Clamp closed("encoder.layers.0.self.residual", "gate", 0);
    Forward f{.taps = &closed};
    const at::Tensor cut = model->encode({source, {}}, f);
    EXPECT_GT(distance(cut, model->encode({source, {}}, {})), 1e-6);
    Clamp even("encoder.layers.0.self", "weight", 0.25);  // attention is replaced: the fused path must give way
    f.taps = &even;
    EXPECT_GT(distance(model->encode({source, {}}, f), model->encode({source, {}}, {})), 1e-6);
    EXPECT_GT(distance(model->encode({source, {}}, f), cut), 1e-6);
}

TEST(Model, TiedTablesAreOneTensor) {
    const auto model = buildTiny({{"embed", {{"source", "tied_all"}}}, {"dims", {{"vocab_src", 13}}}});
    EXPECT_TRUE(model->parameters().find("embed.shared.weight").defined());
    EXPECT_FALSE(model->parameters().find("head.weight").defined());
    EXPECT_THROW(resolveTiny({{"embed", {{"source", "tied_all"}}}}), Error);  // 11 and 13 words
}

TEST(Model, NeedsVocabularies) {
    ResolvedVariant variant = resolveTiny();
    variant.dims.vocabTgt = 0;
    EXPECT_THROW(buildModel(variant, 1), Error);
}

TEST(Model, MovesInPlace) {
    const auto model = buildTiny();
    const at::Tensor held = model->parameters().find("head.weight"), before = logitsOf(*model, ids({4, 3}), ids({2, 7}));
    model->to(at::kCPU);
    EXPECT_TRUE(held.is_leaf() && held.requires_grad() && held.is_same(model->parameters().find("head.weight")));
    EXPECT_TRUE(at::equal(before, logitsOf(*model, ids({4, 3}), ids({2, 7}))));
}

}  // namespace
}  // namespace heddle
