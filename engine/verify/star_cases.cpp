// SPDX-License-Identifier: Apache-2.0
// Golden cases of the StarSaber paper: its layer in every form, stacks, the fixed point, and its baseline, the ReZero layer.
#include "engine/device/torch_pch.h"
#include "engine/verify/stack_under_test.h"

namespace heddle::verify {

namespace {

/// The form of a layer for one of the outputs.
struct StarForm {
    const char* value = "directional";
    const char* split = "self_right";
    const char* direct = "vx";
    const char* combine = "tanh";
    bool hasBias = false, hasResidual = true, isPadded = false;
};

const std::map<std::string, StarForm>& starForms() {
    static const std::map<std::string, StarForm> kForms{{"eq4", {.hasResidual = false}},
                                                        {"eq5_alpha", {}},
                                                        {"eq6_gates", {.combine = "tanh_gated"}},
                                                        {"eq5_bias", {.hasBias = true}},
                                                        {"eq6_bias", {.combine = "tanh_gated", .hasBias = true}},
                                                        {"no_direct_path", {.direct = "none"}},
                                                        {"single_matrix", {.value = "single"}},
                                                        {"left_includes_self", {.split = "self_left"}},
                                                        {"eq5_padding", {.isPadded = true}}};
    return kForms;
}

Json withBias(const char* kind, bool hasBias) { return {{"kind", kind}, {"bias", hasBias}}; }

/// A star sublayer in this form.
Json starOf(const StarForm& form) {
    Json star{{"name", "star"},
              {"scorer", withBias("bilinear", form.hasBias)},
              {"value", withBias(form.value, form.hasBias)},
              {"direct", {{"kind", form.direct}}},
              {"combine", {{"kind", form.combine}}}};
    if (star["value"]["kind"] == "directional") star["value"]["split"] = form.split;
    if (star["direct"]["kind"] == "vx") star["direct"]["bias"] = form.hasBias;
    if (star["combine"]["kind"] == "tanh_gated") star["combine"]["bias"] = form.hasBias;
    return star;
}

/// An encoder of star layers of the width that a matrix has.
Json starDocument(const StarForm& form, const Json& matrix, std::int64_t layers) {
    return {{"topology", "encoder"},
            {"dims", {{"d", rowsOf(matrix)}, {"heads", 1}, {"layers_enc", layers}}},
            {"position", "none"},
            {"defaults", {{"norm", "none"}, {"residual", form.hasResidual ? "alpha" : "none"}}},
            {"encoder", {{"sublayers", {starOf(form)}}}}};
}

/// One matrix and, where the module has it, its bias, under the names of the file.
void loadMatrix(const ParameterStore& store, const std::string& path, const Json& weights, const std::string& name) {
    if (!store.find(path + ".weight").defined()) return;
    load(store, path + ".weight", weights.at(name));
    if (store.find(path + ".bias").defined()) load(store, path + ".bias", weights.at("b" + name));
}

/// A star layer's weights; those that this form does not have are left in the file.
void loadStar(const ParameterStore& store, const std::string& star, const Json& weights) {
    loadMatrix(store, star + ".scorer.m", weights, "M");
    loadMatrix(store, star + ".value.u", weights, "U");
    loadMatrix(store, star + ".value.q", weights, "Q");
    loadMatrix(store, star + ".direct.v", weights, "V");
    for (const std::string gate : {"r", "i"}) {
        loadMatrix(store, star + ".combine.w" + gate, weights, "W" + gate);
        loadMatrix(store, star + ".combine.v" + gate, weights, "V" + gate);
    }
}

/// One run of the layer case: the result and what passed the taps.
struct LayerRun {
    at::Tensor h, x, alpha, y;
    RecordingTaps taps;
    std::string path;
};

LayerRun runLayer(const StarForm& form, const Json& golden, const at::TensorOptions& options) {
    const Json& inputs = golden.at("inputs");
    const StackUnderTest encoder(starDocument(form, golden.at("weights").at("M"), 1), options);
    LayerRun run;
    run.path = encoder.path(0, "star");
    loadStar(encoder.store(), run.path, golden.at("weights"));
    if (form.hasResidual) load(encoder.store(), run.path + ".residual.alpha", Json::array({inputs.at("alpha")}));
    run.h = leafFromJson(inputs.at("h"), options);
    run.x = leafFromJson(inputs.at("x"), options);
    run.alpha = encoder.store().find(run.path + ".residual.alpha");
    at::Tensor padding;
    if (form.isPadded) padding = tensorFromJson(inputs.at("key_keep_for_padding"), options).eq(0);
    run.y = encoder.runFrom(run.h, run.x, padding, &run.taps);
    return run;
}

void compareGradients(const Json& golden, const at::TensorOptions& options, CaseChecks& checks) {
    const LayerRun run = runLayer(starForms().at("eq5_alpha"), golden, options);
    backwardOfHalfSquares(run.y);
    checks.compareAll(
        golden.at("outputs"),
        {{"eq5_dloss_dh", run.h.grad()}, {"eq5_dloss_dx", run.x.grad()}, {"eq5_dloss_dalpha", run.alpha.grad().squeeze(0)}});
}

/// The intermediates of eq. 4, as the taps show them; one head, which the file leaves out.
void compareIntermediates(const Json& golden, const at::TensorOptions& options, CaseChecks& checks) {
    const LayerRun run = runLayer(starForms().at("eq4"), golden, options);
    const auto& seen = run.taps.seen();
    const std::pair<const char*, at::Tensor> computed[] = {{"scores", seen.at(run.path + ".scorer.score").squeeze(1)},
                                                           {"G", seen.at(run.path + ".weight").squeeze(1)},
                                                           {"A", seen.at(run.path + ".value.mixed")}};
    for (const auto& [name, tensor] : computed)
        checks.compare(std::string("eq4_aux ") + name, golden.at("outputs").at("eq4_aux").at(name), tensor);
    checks.settle("eq4_aux");
}

void compareStarCounts(const Json& golden, CaseChecks& checks) {
    const std::map<std::string, StarForm> formOf{{"eq5_nobias", {}},
                                                 {"eq5_bias", {.hasBias = true}},
                                                 {"eq6_nobias", {.combine = "tanh_gated"}},
                                                 {"eq6_bias", {.combine = "tanh_gated", .hasBias = true}}};
    const Json counts = golden.value("param_count", Json::object());
    for (const auto& [name, expected] : counts.items()) {
        if (!formOf.contains(name)) {
            checks.reportUnknown("param_count " + name);
            continue;
        }
        const StackUnderTest encoder(starDocument(formOf.at(name), golden.at("weights").at("M"), 1), at::kFloat);
        checks.compareCounts("param_count " + name, expected, encoder.counts());
    }
}

/// An encoder that iterates eq. 3.
Json fixedPointOf(const Json& golden, const Json& share, const std::string& start, const char* direct) {
    Json document = starDocument({.direct = direct, .hasResidual = false}, golden.at("weights").at("M"), 1);
    document["encoder"]["share"] = {{"kind", "fixed_point"}};
    document["encoder"]["share"].update(share);
    document["encoder"]["h0"] = start;
    return document;
}

struct FixedPoint {
    at::Tensor h;
    std::int64_t iterations = 0;
};

FixedPoint iterate(const Json& document, const Json& golden, const at::TensorOptions& options) {
    const StackUnderTest encoder(document, options);
    loadStar(encoder.store(), encoder.path(0, "star"), golden.at("weights"));
    RecordingTaps taps;
    const at::Tensor h = encoder.run(tensorFromJson(golden.at("inputs").at("x"), options), &taps);
    return {h, static_cast<std::int64_t>(taps.seen().at("encoder.share.iterations").item<double>())};
}

}  // namespace

void verifyStarLayer(const Json& golden, CaseChecks& checks) {
    const Json& outputs = golden.at("outputs");
    for (const at::TensorOptions& options : checks.types()) {
        for (const auto& [name, form] : starForms())
            if (outputs.contains(name)) checks.compare(name, outputs.at(name), runLayer(form, golden, options).y);
        compareGradients(golden, options, checks);
        if (outputs.contains("eq4_aux")) compareIntermediates(golden, options, checks);
    }
    compareStarCounts(golden, checks);
    checks.reportRest(outputs);
}

void verifyStarStack(const Json& golden, CaseChecks& checks) {
    const Json& weights = golden.at("weights");
    const Json& outputs = golden.at("outputs");
    const auto weightsOf = [](std::int64_t layer) { return c10::str("layer", layer); };
    for (const at::TensorOptions& options : checks.types()) {
        for (std::int64_t layers = 1; weights.contains(weightsOf(layers - 1)); ++layers) {
            const StackUnderTest encoder(starDocument({}, weights.at("layer0").at("M"), layers), options);
            for (std::int64_t layer = 0; layer < layers; ++layer) {
                const std::string star = encoder.path(layer, "star");
                loadStar(encoder.store(), star, weights.at(weightsOf(layer)));
                load(encoder.store(), star + ".residual.alpha", {1.0});
            }
            const std::string output = c10::str("h", layers);
            if (outputs.contains(output))
                checks.compare(output, outputs.at(output), encoder.run(tensorFromJson(golden.at("inputs").at("x"), options)));
        }
    }
    checks.reportRest(outputs);
}

void verifyStarFixedPoint(const Json& golden, CaseChecks& checks) {
    const Json& outputs = golden.at("outputs");
    for (const at::TensorOptions& options : checks.types()) {
        const bool wide = options.dtype() == at::kDouble;
        // A tolerance made for float64 is never met in float32, whose own is the block's default.
        const Json tolerance{{"tol", wide ? golden.at("inputs").at("tol") : Json()}};
        const FixedPoint fromInput = iterate(fixedPointOf(golden, tolerance, "input", "vx"), golden, options);
        const FixedPoint fromZero = iterate(fixedPointOf(golden, tolerance, "zeros", "vx"), golden, options);
        checks.compare("h_star", outputs.at("h_star"), fromInput.h);
        checks.compare("h_star from zero", outputs.at("h_star"), fromZero.h);
        const Json once{{"max_iter", 1}, {"on_failure", "report"}};
        checks.compare("h_after_1", outputs.at("h_after_1"),
                       iterate(fixedPointOf(golden, once, "input", "vx"), golden, options).h);
        if (!wide) continue;
        checks.compareCount("iterations_from_x", outputs.at("iterations_from_x"), fromInput.iterations);
        checks.compareCount("iterations_from_zero", outputs.at("iterations_from_zero"), fromZero.iterations);
        Json more = tolerance;
        more["max_iter"] = 1000;
        const FixedPoint limit = iterate(fixedPointOf(golden, more, "input", "none"), golden, options);
        checks.bound("no_direct_path_limit_maxabs", limit.h.abs().max().item<double>(), 1e-10);
        checks.settle("no_direct_path_limit_maxabs");
    }
    checks.reportRest(outputs);
}

void verifyReZeroLayer(const Json& golden, CaseChecks& checks) {
    const Json &weights = golden.at("weights"), &attention = weights.at("attn"), &inputs = golden.at("inputs");
    const auto documentWith = [&](const Json& sublayers) {
        return Json{{"preset", "rezero"},
                    {"dims",
                     {{"d", columnsOf(attention.at("Wq"))},
                      {"f", rowsOf(weights.at("ffn").at("W1"))},
                      {"heads", golden.at("heads")},
                      {"layers_enc", 1}}},
                    {"encoder", {{"sublayers", sublayers}}}};
    };
    const Json self{{"name", "self"}}, feedForward{{"name", "ffn"}};
    for (const at::TensorOptions& options : checks.types()) {
        for (const auto& [output, sublayers] :
             {std::pair{"after_attn", Json::array({self})}, {"y", Json::array({self, feedForward})}}) {
            const StackUnderTest encoder(documentWith(sublayers), options);
            const std::string self0 = encoder.path(0, "self"), ffn0 = encoder.path(0, "ffn");
            loadLinear(encoder.store(), self0 + ".scorer.q", attention, "q");
            loadLinear(encoder.store(), self0 + ".scorer.k", attention, "k");
            loadLinear(encoder.store(), self0 + ".value.v", attention, "v");
            load(encoder.store(), self0 + ".residual.alpha", Json::array({inputs.at("alpha_attn")}));
            if (sublayers.size() > 1) {
                loadLinear(encoder.store(), ffn0 + ".ffn.in", weights.at("ffn"), "1");
                loadLinear(encoder.store(), ffn0 + ".ffn.out", weights.at("ffn"), "2");
                load(encoder.store(), ffn0 + ".residual.alpha", Json::array({inputs.at("alpha_ffn")}));
            }
            checks.compare(output, golden.at("outputs").at(output), encoder.run(tensorFromJson(inputs.at("x"), options)));
            if (sublayers.size() < 2 || options.dtype() != at::kDouble) continue;
            checks.compareCounts("param_count", golden.at("param_count"), encoder.counts());
        }
    }
    checks.reportRest(golden.at("outputs"));
}

}  // namespace heddle::verify
