// SPDX-License-Identifier: Apache-2.0
// Every intervention equals a model that was built or whose weights were written so by hand.
#include "engine/model/intervened_model.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "engine/verify/tiny_presets.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing_support::buildTiny;
using testing_support::copyShared;
using testing_support::distance;
using testing_support::ids;
using testing_support::logitsOf;

constexpr double kEqual = 1e-12;  // float64

at::Tensor source() { return ids({4, 5, 6, 7, 3}); }
at::Tensor target() { return ids({2, 5, 9, 4, 8}); }

at::Tensor plain(const Model& model, const Forward& f = {}) {
    const at::NoGradGuard noGrad;
    return logitsOf(model, source(), target(), f);
}

at::Tensor changed(Model& model, const std::vector<Intervention>& interventions, const Forward& f = {}) {
    checkInterventions(interventions, interventionTargets(model.variant()));
    return plain(IntervenedModel(model, interventions), f);
}

Json defaults(const char* slot, const Json& choice) { return {{"defaults", {{slot, choice}}}}; }

/// Another choice of one slot in one layer of both stacks.
Json inLayer(Json variant, const char* layer, const char* sublayer, const Json& slots) {
    for (const char* stack : {"encoder", "decoder"}) variant[stack]["layers"][layer][sublayer] = slots;
    return variant;
}

TEST(IntervenedModel, WithoutInterventionsHasTheSameBits) {
    for (const Json& variant :
         {Json::object(), defaults("score", {{"rule", "add"}}), defaults("residual", {{"kind", "grc"}})}) {
        const auto model = buildTiny(variant, at::kFloat);
        EXPECT_TRUE(at::equal(changed(*model, {}), plain(*model))) << variant;
    }
}

TEST(IntervenedModel, AMutedHeadEqualsZeroedColumnsOfTheOutputProjection) {
    const Json carries = defaults("score", {{"rule", "add"}, {"source", "probs"}});
    const Json grouped = {{"defaults", {{"scorer", {{"kind", "grouped"}}}, {"value", {{"kind", "grouped"}}}}}};
    for (const Json& variant : {Json::object(), carries, grouped})
        for (const char* path : {"encoder.layers.0.self", "decoder.layers.0.self", "decoder.layers.1.cross"})
            for (const std::int64_t head : {0, 3}) {
                const auto model = buildTiny(variant);
                const at::Tensor muted = changed(*model, {MuteHead{path, head}});
                EXPECT_GT(distance(muted, plain(*model)), 1e-4) << path;
                const at::NoGradGuard noGrad;
                model->parameters().find(std::string(path) + ".value.out.weight").narrow(1, 4 * head, 4).zero_();
                EXPECT_LT(distance(muted, plain(*model)), kEqual) << variant << " " << path << " " << head;
            }
}

TEST(IntervenedModel, AMutedHeadHasTheGradientsOfZeroedColumns) {
    const char* path = "decoder.layers.0.self";
    const auto muted = buildTiny(), zeroed = buildTiny();
    const auto columns = [&](const Model& model) {
        return model.parameters().find(std::string(path) + ".value.out.weight").narrow(1, 4, 4);
    };
    {
        const at::NoGradGuard noGrad;
        columns(*zeroed).zero_();
    }
    const Forward training{.training = true};
    logitsOf(IntervenedModel(*muted, {MuteHead{path, 1}}), source(), target(), training).square().sum().backward();
    logitsOf(*zeroed, source(), target(), training).square().sum().backward();
    for (const auto& [name, parameter] : muted->parameters().entries()) {
        const at::Tensor expected = zeroed->parameters().find(name).grad();
        if (name == std::string(path) + ".value.out.weight") {  // what the columns are multiplied with is 0
            EXPECT_EQ(parameter.grad().narrow(1, 4, 4).abs().max().item<double>(), 0);
            EXPECT_LT(distance(parameter.grad().narrow(1, 0, 4), expected.narrow(1, 0, 4)), 1e-10);
        } else {
            EXPECT_LT(distance(parameter.grad(), expected), 1e-10) << name;
        }
    }
}

TEST(IntervenedModel, IsTheModelItselfAgainOnceItsListIsEmpty) {
    const auto model = buildTiny();
    IntervenedModel changing(*model);
    EXPECT_TRUE(at::equal(plain(changing), plain(*model)));
    EXPECT_EQ(changing.captureObstacle(), model->captureObstacle());
    changing.set({MuteHead{"encoder.layers.0.self", 0}});
    EXPECT_GT(distance(plain(changing), plain(*model)), 1e-4);
    EXPECT_THAT(changing.captureObstacle(), HasSubstr("interventions"));
    changing.set({});
    EXPECT_TRUE(at::equal(plain(changing), plain(*model)));
}

TEST(IntervenedModel, AMutedHeadWithoutAProjectionEqualsZeroedValues) {
    const auto model = buildTiny(defaults("value", {{"kind", "heads_noproj"}}));
    const at::Tensor muted = changed(*model, {MuteHead{"encoder.layers.1.self", 2}});
    const at::NoGradGuard noGrad;
    for (const char* name : {"weight", "bias"})
        model->parameters().find(std::string("encoder.layers.1.self.value.v.") + name).narrow(0, 8, 4).zero_();
    EXPECT_LT(distance(muted, plain(*model)), kEqual);
}

TEST(IntervenedModel, ChangesStepsOfDecodingAsItChangesWholeSequences) {
    const auto model = buildTiny({{"defaults", {{"score", {{"rule", "add"}}}, {"residual", {{"kind", "grc"}}}}}});
    const std::vector<Intervention> all{MuteHead{"decoder.layers.0.self", 1}, MuteHead{"decoder.layers.1.cross", 2},
                                        CutCarry{"decoder.layers.1.self"}, IdentityResidual{"decoder.layers.0.ffn"},
                                        ClampExposure{"decoder.layers.1.self.residual.gate", 0.5}};
    const IntervenedModel intervened(*model, all);
    const at::NoGradGuard noGrad;
    const Memory memory{intervened.encode({source(), {}}, {}), source()};
    const at::Tensor whole = intervened.decode({target(), {}}, memory, {});
    const auto state = intervened.startDecoding(memory);
    std::vector<at::Tensor> steps;
    for (std::int64_t i = 0; i < target().size(1); ++i) steps.push_back(state->step(target().narrow(1, i, 1), {}));
    EXPECT_LT(distance(at::cat(steps, 1), whole), kEqual);
    EXPECT_GT(distance(whole, model->decode({target(), {}}, memory, {})), 1e-4);
}

TEST(IntervenedModel, AGateHeldOpenEqualsTheModelWithoutIt) {
    const auto gated = buildTiny(defaults("residual", {{"kind", "grc"}}));
    const auto open = buildTiny();
    copyShared(*open, *gated);
    std::vector<Intervention> all;
    for (const std::string& path : interventionTargets(gated->variant()).clampable())
        if (path.ends_with(".residual.gate")) all.emplace_back(ClampExposure{path, 1});
    ASSERT_EQ(all.size(), 10U);
    EXPECT_LT(distance(changed(*gated, all), plain(*open)), kEqual);
    EXPECT_GT(distance(plain(*gated), plain(*open)), 1e-3);
}

TEST(IntervenedModel, ANeutralBlockIsAsGoodAsAbsentAndLeavesTheWeightsAsTheyWere) {
    const auto gated = buildTiny(defaults("residual", {{"kind", "grc"}})),
               adjusted = buildTiny(defaults("adjuster", {{"kind", "eau"}}));
    const at::Tensor before = plain(*gated);
    const std::string block = "encoder.layers.0.self.residual";
    {
        const std::vector<Intervention> neutral{NeutralBlock{block}};
        const NeutralWeights weights(*gated, neutral);
        const at::Tensor open = plain(IntervenedModel(*gated, neutral));
        const double sigmoid8 = 1 / (1 + std::exp(-8.0));
        EXPECT_LT(distance(open, changed(*gated, {ClampExposure{block + ".gate", sigmoid8}})), kEqual);
        EXPECT_GT(distance(open, before), 1e-4);
    }
    EXPECT_TRUE(at::equal(plain(*gated), before));

    std::vector<Intervention> neutral;
    for (const std::string& path : interventionTargets(adjusted->variant()).neutral) neutral.emplace_back(NeutralBlock{path});
    const auto without = buildTiny();
    copyShared(*without, *adjusted);
    const NeutralWeights weights(*adjusted, neutral);
    EXPECT_LT(distance(plain(*adjusted), plain(*without)), kEqual);

    const auto ofStream = buildTiny(defaults("residual", {{"kind", "alpha"}, {"form", "function"}}));
    EXPECT_THAT([&] { const NeutralWeights none(*ofStream, {NeutralBlock{block}}); },
                testing::ThrowsMessage<Error>(HasSubstr(block + ".alpha")))
        << "its α is no parameter";
}

TEST(IntervenedModel, ACutCarryEqualsALayerWithoutAScoreRule) {
    const Json gate{{"init", "glorot"}};
    const Json sites{"enc_self", "dec_self", "cross"};
    for (const Json& rule : {Json{{"rule", "add"}}, Json{{"rule", "add"}, {"source", "accumulated"}, {"mean", true}},
                             Json{{"rule", "add"}, {"source", "probs"}}, Json{{"rule", "add"}, {"gate", gate}},
                             Json{{"rule", "add"}, {"offsets", {1, 2}}, {"gate", {{"init", "glorot"}, {"per_source", true}}}}})
        for (const auto path : {Forward::Path::Fused, Forward::Path::Reference})
            for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
                Json carrying = defaults("score", rule);
                carrying["dims"] = {{"layers_enc", 3}, {"layers_dec", 3}};
                const auto model = buildTiny(carrying, type);
                const auto without = buildTiny(inLayer(carrying, "1", "self", {{"score", {{"rule", "none"}}}}), type);
                copyShared(*without, *model);
                const Forward f{.path = path};
                const at::Tensor cut =
                    changed(*model, {CutCarry{"encoder.layers.1.self"}, CutCarry{"decoder.layers.1.self"}}, f);
                EXPECT_LT(distance(cut, plain(*without, f)), type == at::kDouble ? kEqual : 1e-6) << rule;
                EXPECT_GT(distance(cut, plain(*model, f)), 1e-4) << rule;
            }
}

TEST(IntervenedModel, AnIdentityResidualAddsNothing) {
    for (const char* norm : {"layernorm_post", "layernorm_pre"}) {
        Json variant = defaults("residual", {{"kind", "grc"}});
        variant["defaults"]["norm"] = {{"kind", "layernorm"}, {"place", std::string(norm).substr(10)}};
        const auto model = buildTiny(variant);
        const at::Tensor shut = changed(*model, {ClampExposure{"encoder.layers.1.ffn.residual.gate", 0}});
        EXPECT_TRUE(at::equal(changed(*model, {IdentityResidual{"encoder.layers.1.ffn"}}), shut)) << norm;
    }
    const auto highway = buildTiny(defaults("residual", {{"kind", "highway"}}));
    EXPECT_TRUE(at::equal(changed(*highway, {IdentityResidual{"encoder.layers.1.ffn"}}),
                          changed(*highway, {ClampExposure{"encoder.layers.1.ffn.residual.gate", 0}})))
        << "the gate's complement carries the stream";
}

TEST(IntervenedModel, AnIdentityResidualOutlivesTraining) {
    const auto model = buildTiny(defaults("residual", {{"kind", "grc"}}), at::kFloat);
    Forward f{.training = true};
    const at::Tensor fused = changed(*model, {IdentityResidual{"encoder.layers.1.ffn"}}, f);
    f.path = Forward::Path::Reference;
    EXPECT_LT(distance(fused, changed(*model, {IdentityResidual{"encoder.layers.1.ffn"}}, f)), 1e-5);
    EXPECT_GT(distance(fused, plain(*model, f)), 1e-4);
}

TEST(IntervenedModel, ScalesWhatItShowsInTheOrderOfTheList) {
    const auto model = buildTiny(defaults("residual", {{"kind", "grc"}}));
    const std::string gate = "decoder.layers.0.cross.residual.gate";
    EXPECT_LT(distance(changed(*model, {ScaleExposure{gate, 0}}), changed(*model, {ClampExposure{gate, 0}})), kEqual);
    EXPECT_LT(distance(changed(*model, {ClampExposure{gate, 0.5}, ScaleExposure{gate, 0.5}}),
                       changed(*model, {ClampExposure{gate, 0.25}})),
              kEqual);
    EXPECT_LT(distance(changed(*model, {ScaleExposure{gate, 1}}), plain(*model)), kEqual);
}

TEST(IntervenedModel, ClampedAttentionWeightsShowNoHiddenKey) {
    const auto model = buildTiny();
    const IntervenedModel intervened(*model, {ClampExposure{"decoder.layers.0.self.weight", 0.5}});
    const at::NoGradGuard noGrad;
    const at::Tensor one = logitsOf(intervened, source(), ids({2, 5, 9, 4, 8})),
                     other = logitsOf(intervened, source(), ids({2, 5, 9, 7, 6}));
    EXPECT_LT(distance(one.narrow(1, 0, 3), other.narrow(1, 0, 3)), kEqual);
    EXPECT_GT(distance(one.narrow(1, 3, 2), other.narrow(1, 3, 2)), 1e-4);
}

TEST(IntervenedModel, WhoWatchesSeesThePassAsItIs) {
    const auto model = buildTiny(defaults("residual", {{"kind", "grc"}}));
    RecordingTaps taps;
    const Forward f{.taps = &taps};
    const std::string gate = "decoder.layers.0.cross.residual.gate";
    const at::Tensor watched = changed(*model, {ClampExposure{gate, 0.25}}, f);
    EXPECT_TRUE(taps.seen().at(gate).eq(0.25).all().item<bool>());
    EXPECT_TRUE(at::equal(watched, changed(*model, {ClampExposure{gate, 0.25}})));
}

/// Says which exposures something passes, asking for no others.
class PassedTaps final : public Taps {
public:
    explicit PassedTaps(std::vector<std::string> paths) : paths_(std::move(paths)) {}
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        if (wants(module, exposure)) passed.insert(module + "." + exposure);
        return value;
    }
    bool wants(const std::string& module, const char* exposure) const override {
        return std::find(paths_.begin(), paths_.end(), module + "." + exposure) != paths_.end();
    }
    std::set<std::string> passed;

private:
    std::vector<std::string> paths_;
};

/// A small model of a preset in which nothing starts at 0.
std::unique_ptr<Model> stirred(const std::string& preset) {
    auto model = buildModel(verify::tinyPreset(preset), 1);
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : model->parameters().entries())
        tensor.add_(at::arange(tensor.numel(), tensor.options()).mul(0.7).sin().mul(0.1).view_as(tensor).add(0.05));
    return model;
}

/// What every preset shows and says that it can be clamped is really clamped, also where kernels do several things at once.
TEST(IntervenedModel, EveryClampableExposureOfThePresetsChangesTheirOutput) {
    std::size_t tried = 0;
    for (const std::string& name : presetNames()) {
        const auto model = stirred(name);
        const at::NoGradGuard noGrad;
        PassedTaps taps(interventionTargets(model->variant()).clampable());
        const Forward f{.taps = &taps};
        const at::Tensor before = verify::toyAnswer(*model);
        EXPECT_TRUE(at::equal(verify::toyAnswer(*model, f), before)) << name << ": watching changes nothing";
        for (const std::string& path : taps.passed) {
            if (path.ends_with(".0.star.combine.forget_gate")) continue;  // the first layer has nothing to forget
            const IntervenedModel intervened(*model, {ClampExposure{path, 0.37}});
            EXPECT_GT(distance(verify::toyAnswer(intervened), before), 1e-9) << name << " " << path;
            ++tried;
        }
    }
    EXPECT_GT(tried, 300U);
}

TEST(IntervenedModel, EverySublayerOfThePresetsCanBeMadeTheIdentity) {
    for (const std::string& name : presetNames()) {
        const auto model = stirred(name);
        const at::NoGradGuard noGrad;
        const at::Tensor before = verify::toyAnswer(*model);
        for (const std::string& path : interventionTargets(model->variant()).residuals)
            EXPECT_GT(distance(verify::toyAnswer(IntervenedModel(*model, {IdentityResidual{path}})), before), 1e-9)
                << name << " " << path;
    }
}

TEST(IntervenedModel, EveryHeadOfThePresetsCanBeMuted) {
    for (const std::string& name : presetNames()) {
        const auto model = stirred(name);
        const at::NoGradGuard noGrad;
        const at::Tensor before = verify::toyAnswer(*model);
        for (const auto& [path, heads] : interventionTargets(model->variant()).attentions)
            EXPECT_GT(distance(verify::toyAnswer(IntervenedModel(*model, {MuteHead{path, heads - 1}})), before), 1e-9)
                << name << " " << path;
    }
}

}  // namespace
}  // namespace heddle
