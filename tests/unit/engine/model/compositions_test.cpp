// SPDX-License-Identifier: Apache-2.0
// What must hold for every composition of blocks (variants.md section 7, A1, A5, A8), over one of each kind.
#include "engine/device/torch_pch.h"
#include "engine/model/built_modules.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/cost.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using testing_support::ids;
using testing_support::logitsOf;

constexpr const char* kSea = "estimated mask";

/// A composition under a name that a failing test prints.
struct Composition {
    std::string name;
    Json over;
};

std::vector<Composition> compositions() {
    const auto defaults = [](const char* slot, const Json& value) { return Json{{"defaults", {{slot, value}}}}; };
    const Json pre{{"kind", "layernorm"}, {"place", "pre"}, {"final", 1}};
    std::vector<Composition> all{{"baseline", Json::object()},
                                 {"pre", defaults("norm", pre)},
                                 {"no norm", defaults("norm", "none")},
                                 {"gelu", defaults("ffn", {{"act", "gelu"}, {"bias", false}})},
                                 {"free widths", {{"dims", {{"heads", 3}, {"key_dim", 5}, {"value_dim", 2}}}}},
                                 {"scale one, no bias", defaults("scorer", {{"scale", "one"}, {"bias", false}})}};
    for (const char* where : {"attn_out", "before_wo", "before_ffn"}) {
        const Json eau{{"name", "self"}, {"adjuster", {{"kind", "eau"}, {"where", where}}}}, feedForward{{"name", "ffn"}};
        all.push_back({std::string("eau ") + where, {{"encoder", {{"sublayers", {eau, feedForward}}}}}});
    }
    for (const char* input : {"r", "norm_r", "s", "concat"}) {
        Json over = defaults("residual", {{"kind", "grc"}, {"gate_input", input}});
        over["defaults"]["norm"] = pre;
        all.push_back({std::string("grc ") + input, over});
    }
    const Json allSites{"enc_self", "dec_self", "cross"}, gate{{"count", "with_prev"}};
    all.push_back({"score carry", defaults("score", {{"rule", "add"}, {"source", "accumulated"}, {"sites", allSites}})});
    all.push_back({"score gate", defaults("score", {{"rule", "add"}, {"gate", gate}, {"sites", allSites}})});
    all.push_back({"score gate on eau", defaults("score", {{"rule", "add"}, {"gate", gate}})});
    all.back().over["defaults"].update({{"adjuster", "eau"}, {"residual", "grc"}, {"norm", pre}});
    for (const char* kind : {"topk", "sparsek"}) all.push_back({kind, defaults("normaliser", {{"kind", kind}, {"k", 2}})});
    all.push_back({"entmax15", defaults("normaliser", "entmax15")});
    const Json choosing{{"name", "self"}, {"selector", {{"kind", "sea"}, {"k", 2}, {"columns", 4}, {"group", "query"}}}};
    all.push_back({kSea,
                   {{"encoder", {{"sublayers", {choosing, Json{{"name", "ffn"}}}}}},
                    {"decoder", {{"sublayers", {choosing, Json{{"name", "cross"}}, Json{{"name", "ffn"}}}}}}}});
    for (const char* kind : {"highway", "alpha", "none", "deepnorm"}) all.push_back({kind, defaults("residual", kind)});
    // Those whose parameters all get a gradient at the start; residuals_test has the others.
    for (const Json& residual : {Json{{"kind", "hyper"}, {"form", "static"}}, Json{{"kind", "dense"}},
                                 Json{{"kind", "reinject"}}, Json{{"kind", "lime"}}}) {
        all.push_back({residual.at("kind"), defaults("residual", residual)});
        all.back().over["defaults"]["norm"] = pre;
    }
    for (const char* scope : {"sublayer", "layer"})
        all.push_back({std::string("alpha of the stream, one a ") + scope,
                       defaults("residual", {{"kind", "alpha"}, {"form", "function"}, {"scope", scope}})});
    const Json halved{{"kind", "alpha"}, {"init", 0.5}, {"form", "fixed"}};
    const Json firstHalf{{"name", "ffn"}, {"residual", halved}}, secondHalf{{"name", "ffn2"}, {"residual", halved}};
    const Json attentive{{"name", "self"}}, looking{{"name", "cross"}};
    all.push_back({"macaron",
                   {{"encoder", {{"sublayers", {firstHalf, attentive, secondHalf}}}},
                    {"decoder", {{"sublayers", {firstHalf, attentive, looking, secondHalf}}}}}});
    for (const char* kind : {"heads_noproj", "single"}) all.push_back({kind, defaults("value", kind)});
    const Json directional{{"name", "self"}, {"value", "directional"}, {"direct", "vx"}}, across{{"name", "cross"}},
        feedForward{{"name", "ffn"}};
    all.push_back({"directional values under many heads",
                   {{"encoder", {{"sublayers", {directional, feedForward}}, {"h0", "learned"}}},
                    {"decoder", {{"sublayers", {directional, across, feedForward}}, {"h0", "linear"}}}}});
    all.push_back({"bilinear", defaults("scorer", "bilinear")});
    all.back().over["dims"]["heads"] = 1;
    for (const char* combine : {"tanh", "tanh_gated", "gru", "lstm"}) {
        const Json star{{"name", "star"}, {"combine", combine}, {"residual", "none"}};
        all.push_back({std::string("star ") + combine,
                       {{"dims", {{"heads", 1}}},
                        {"encoder", {{"sublayers", {star, feedForward}}}},
                        {"decoder", {{"sublayers", {star, across, feedForward}}}}}});
    }
    for (const char* kind : {"sinusoid_concat", "sinusoid_double", "learned", "none"}) {
        all.push_back({std::string("position ") + kind, {{"position", {{"kind", kind}}}}});
    }
    for (const char* kind : {"tied_src_tgt", "tied_out", "tied_all"}) {
        all.push_back({kind, {{"embed", {{"source", kind}, {"scale", "sqrt_d"}}}, {"dims", {{"vocab_src", 13}}}}});
    }
    for (const char* act : {"sigmoid", "silu", "none"})
        all.push_back({std::string("glu ") + act, defaults("ffn", {{"kind", "glu"}, {"act", act}, {"inner_dropout", 0}})});
    for (const char* act : {"tanh", "sigmoid"})
        all.push_back({std::string("sdu ") + act, defaults("parallel", {{"kind", "sdu"}, {"act", act}})});
    all.push_back({"rmsnorm", defaults("norm", {{"kind", "rmsnorm"}, {"place", "pre"}, {"final", 1}})});
    all.push_back({"masked-language-model head", {{"head", {{"kind", "mlm"}, {"tied", true}}}}});
    for (const char* kind : {"xavier_uniform", "glorot_keras", "kaiming_uniform", "orthogonal", "normal"})
        all.push_back({kind, {{"init", {{"kind", kind}}}}});
    return all;
}

class EveryComposition : public ::testing::TestWithParam<Composition> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryComposition, ::testing::ValuesIn(compositions()), [](const auto& tested) {
    std::string name = tested.param.name;
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
});

TEST_P(EveryComposition, HasShapes) {
    const auto model = buildTiny(GetParam().over);
    const at::Tensor source = ids({4, 5, 6, 3}).repeat({3, 1}), target = ids({2, 7, 8}).repeat({3, 1});
    const at::Tensor memory = model->encode({source, {}}, {});
    EXPECT_EQ(memory.sizes(), (at::IntArrayRef{3, 4, 16}));
    const at::Tensor hidden = model->decode({target, {}}, {memory, source}, {});
    EXPECT_EQ(hidden.sizes(), (at::IntArrayRef{3, 3, 16}));
    EXPECT_EQ(model->logits(hidden).sizes(), (at::IntArrayRef{3, 3, 13}));
    EXPECT_TRUE(model->logits(hidden).isfinite().all().item<bool>());
}

TEST_P(EveryComposition, BuiltTreeHasTheCountOfTheFormulas) {
    const auto model = buildTiny(GetParam().over, at::kFloat);
    const Cost cost = countCost(model->variant());
    const auto built = builtModules(*model);
    ASSERT_EQ(built.size(), cost.modules.size());
    for (std::size_t i = 0; i < built.size(); ++i) {
        EXPECT_EQ(built[i].path, cost.modules[i].path);
        EXPECT_EQ(built[i].parameters, cost.modules[i].parameters) << built[i].path;
        EXPECT_FALSE(built[i].block.empty()) << built[i].path;
    }
    EXPECT_EQ(model->parameters().count(), cost.parameters);
}

TEST_P(EveryComposition, IsCausal) {
    const auto model = buildTiny(GetParam().over);
    const at::Tensor source = ids({4, 5, 6, 3}), target = ids({2, 7, 8, 9, 10});
    const at::Tensor before = logitsOf(*model, source, target);
    for (std::int64_t t = 0; t < 5; ++t) {
        at::Tensor changed = target.clone();
        changed[0][t] = 11;
        const at::Tensor after = logitsOf(*model, source, changed);
        EXPECT_EQ(t > 0 ? distance(before.narrow(1, 0, t), after.narrow(1, 0, t)) : 0, 0) << t;
        EXPECT_GT(distance(before.narrow(1, t, 1), after.narrow(1, t, 1)), 0) << t;
    }
}

TEST_P(EveryComposition, PaddingChangesNothing) {
    const auto model = buildTiny(GetParam().over);
    const at::Tensor source = ids({4, 5, 6, 3}), target = ids({2, 7, 8});
    const at::Tensor plain = logitsOf(*model, source, target);
    const at::Tensor padded = logitsOf(*model, ids({4, 5, 6, 3, 1, 1, 1}), ids({2, 7, 8, 1, 1}));
    EXPECT_LT(distance(plain, padded.narrow(1, 0, 3)), 1e-12);
}

TEST_P(EveryComposition, EveryParameterGetsAGradient) {
    const auto model = buildTiny(GetParam().over);
    const at::Tensor source = ids({4, 5, 6, 3}), target = ids({2, 7, 8});
    const bool isEstimated = GetParam().name == kSea;
    // Under a causal mask the estimate learns from what it adds to the objective alone.
    const Forward f{.training = isEstimated};
    const at::Tensor out = logitsOf(*model, source, target, f);
    at::cross_entropy_loss(out[0], at::tensor(std::vector<std::int64_t>{7, 8, 3})).backward();
    for (const auto& [path, tensor] : model->parameters().entries()) {
        ASSERT_TRUE(tensor.grad().defined()) << path;
        EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << path;
        const double size = tensor.grad().abs().max().item<double>();
        const bool isGated = model->parameters().find("encoder.layers.1.self.score.gate.weight").defined();
        if (path.ends_with("scorer.k.bias") && isGated) continue;           // a gate sees it, if a later layer has one
        if (path.ends_with("self.scorer.k.bias") && isEstimated) continue;  // so does the estimate
        const bool forgets = path.find(".combine.wf.") != std::string::npos || path.find(".combine.vf.") != std::string::npos;
        if (forgets && path.find("layers.0.") != std::string::npos) continue;  // before the first layer the cell is empty
        if (path.ends_with("scorer.k.bias")) {
            EXPECT_LT(size, 1e-12) << path;  // the softmax does not see what all keys share
        } else {
            EXPECT_GT(size, 0) << path;
        }
    }
}

TEST_P(EveryComposition, FusedPathEqualsTheReference) {
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const auto model = buildTiny(GetParam().over, type);
        const at::Tensor source = ids({4, 5, 6, 3, 1, 1}).repeat({2, 1}), target = ids({2, 7, 8, 9}).repeat({2, 1});
        std::vector<at::Tensor> outputs;
        std::vector<std::vector<at::Tensor>> gradients;
        for (const auto path : {Forward::Path::Fused, Forward::Path::Reference}) {
            const Forward f{.training = GetParam().name == kSea, .path = path};  // as above
            const at::Tensor y = logitsOf(*model, source, target, f);
            (y.square().sum() * 0.5).backward();
            outputs.push_back(y);
            gradients.emplace_back();
            for (const auto& entry : model->parameters().entries()) {
                gradients.back().push_back(entry.tensor.grad().clone());
                entry.tensor.grad().zero_();
            }
        }
        const double tolerance = type == at::kDouble ? 1e-10 : 1e-5;
        EXPECT_LT(distance(outputs[0], outputs[1]), tolerance * std::max(1.0, outputs[1].abs().max().item<double>()));
        for (std::size_t i = 0; i < gradients[0].size(); ++i) {
            const double size = std::max(1.0, gradients[1][i].abs().max().item<double>());
            EXPECT_LT(distance(gradients[0][i], gradients[1][i]), tolerance * size) << model->parameters().entries()[i].path;
        }
    }
}

TEST_P(EveryComposition, WatchingChangesNoBit) {
    const auto model = buildTiny(GetParam().over, at::kFloat);
    const at::Tensor source = ids({4, 5, 6, 3}), target = ids({2, 7, 8});
    RecordingTaps taps;
    const Forward f{.taps = &taps};
    EXPECT_TRUE(at::equal(logitsOf(*model, source, target), logitsOf(*model, source, target, f)));
    ASSERT_EQ(model->attentionPaths().size(), 6u);
    for (const std::string& path : model->attentionPaths()) {
        const at::Tensor weights = taps.seen().at(path + ".weight");
        EXPECT_EQ(taps.seen().at(path + ".scorer.score").sizes(), weights.sizes());
        EXPECT_LT(distance(weights.sum(-1), at::ones_like(weights.sum(-1))), 1e-5) << path;
    }
}

}  // namespace
}  // namespace heddle
