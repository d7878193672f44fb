// SPDX-License-Identifier: Apache-2.0
// Golden cases of attention and of whole layers: variants like any other, taken through spec, resolution and builder. Only the
// embeddings and the head are left out.
#include "engine/base/contains.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "engine/verify/stack_under_test.h"

namespace heddle::verify {

namespace {

/// The form of a layer for one of the outputs.
struct LayerForm {
    const char* place = "post";
    const char* eau = nullptr;  ///< eau.where, or none
    bool grc = false;
};

/// The inputs of a layer besides its stream.
struct Surroundings {
    KeyMasks self, memoryKeys;
    at::Tensor memory;
};

at::Tensor runOn(const StackUnderTest& layer, const at::Tensor& x, const Surroundings& around, Taps* taps = nullptr) {
    MixContext context;
    context.self = &around.self;
    context.cross = &around.memoryKeys;
    context.memory_BKD = around.memory;
    return layer.run(x, context, {.taps = taps});
}

Json dimsOf(const Json& attention, const Json& heads, std::int64_t f) {
    const auto h = heads.get<std::int64_t>();
    return {{"d", columnsOf(attention.at("Wq"))},
            {"f", f},
            {"heads", h},
            {"key_dim", rowsOf(attention.at("Wq")) / h},
            {"value_dim", rowsOf(attention.at("Wv")) / h},
            {"layers_enc", 1},
            {"layers_dec", 1}};
}

Json biasesOf(const Json& attention) {
    return {{"scorer", {{"kind", "dot"}, {"bias", attention.contains("bq")}}},
            {"value", {{"kind", "heads_proj"}, {"bias", attention.contains("bv")}}}};
}

/// The variant of one output of a layer case.
Json layerDocument(const LayerForm& form, const Json& dims, const Json& attention) {
    Json defaults = biasesOf(attention);
    defaults["norm"] = {{"kind", "layernorm"}, {"place", form.place}};
    defaults["residual"] = form.grc ? "grc" : "add";
    const auto attentive = [&](const char* name) {
        Json sublayer{{"name", name}};
        if (form.eau) sublayer["adjuster"] = {{"kind", "eau"}, {"where", form.eau}};
        return sublayer;
    };
    const Json feedForward{{"name", "ffn"}};
    return {{"dims", dims},
            {"defaults", defaults},
            {"encoder", {{"sublayers", {attentive("self"), feedForward}}}},
            {"decoder", {{"sublayers", {attentive("self"), attentive("cross"), feedForward}}}}};
}

void loadAttention(const ParameterStore& store, const std::string& sublayer, const Json& weights) {
    loadLinear(store, sublayer + ".scorer.q", weights, "q");
    loadLinear(store, sublayer + ".scorer.k", weights, "k");
    loadLinear(store, sublayer + ".value.v", weights, "v");
    loadLinear(store, sublayer + ".value.out", weights, "o");
}

/// Loads adjuster, residual and norm of a sublayer; `number` counts the sublayers of the layer from 1.
void loadSurroundings(const ParameterStore& store, const std::string& sublayer, const Json& weights,
                      const std::string& number) {
    if (store.find(sublayer + ".adjuster.w1.weight").defined()) {
        const Json& eau = weights.at(weights.contains("eau") ? "eau" : "eau" + number);
        for (const std::string i : {"1", "2", "3"}) loadLinear(store, sublayer + ".adjuster.w" + i, eau, i);
    }
    if (store.find(sublayer + ".residual.gate.weight").defined()) {
        loadLinear(store, sublayer + ".residual.gate", weights.at("grc" + number), "g");
    }
    load(store, sublayer + ".norm.weight", weights.at("ln" + number).at("g"));
    load(store, sublayer + ".norm.bias", weights.at("ln" + number).at("b"));
}

void loadFeedForward(const ParameterStore& store, const std::string& sublayer, const Json& weights) {
    loadLinear(store, sublayer + ".ffn.in", weights, "1");
    loadLinear(store, sublayer + ".ffn.out", weights, "2");
}

/// The masks over the keys of `sequence` [B,K,D]; the optional array `keep` [B,K] says which of them are no padding.
KeyMasks masksOf(const Json& inputs, const char* keep, const at::Tensor& sequence) {
    at::Tensor padding;
    if (inputs.contains(keep)) padding = tensorFromJson(inputs.at(keep), sequence.options()).eq(0);
    return {padding, sequence.size(1), sequence.options()};
}

/// "post_dloss_dx" → {"post", "x"}; without that ending the second part is empty.
std::pair<std::string, std::string> splitGradient(const std::string& output) {
    const auto at = output.find("_dloss_d");
    if (at == std::string::npos) return {output, ""};
    return {output.substr(0, at), output.substr(at + 8)};
}

const std::map<std::string, LayerForm>& layerForms() {
    static const std::map<std::string, LayerForm> kForms{
        {"post", {"post", "attn_out", true}},           {"pre", {"pre", "attn_out", true}},
        {"post_baseline", {"post", nullptr, false}},    {"post_eau_before_ffn", {"post", "before_ffn", true}},
        {"post_eau_only", {"post", "attn_out", false}}, {"post_grc_only", {"post", nullptr, true}}};
    return kForms;
}

/// A case of one whole layer: how its weights and inputs become a run.
struct LayerCase {
    std::string stack;
    const char* attention;  ///< the weights from which the sizes are read
    void (*load)(const StackUnderTest& layer, const Json& weights);
    Surroundings (*surroundings)(const std::map<std::string, at::Tensor>& leaves, const Json& inputs);
    std::vector<const char*> leaves;  ///< inputs that may be asked for gradients; the stream first
};

void compareOutput(const LayerCase& layerCase, const Json& golden, const std::string& output, CaseChecks& checks) {
    const auto [formName, variable] = splitGradient(output);
    const Json& weights = golden.at("weights");
    const Json& attention = weights.at(layerCase.attention);
    const Json document = layerDocument(layerForms().at(formName),
                                        dimsOf(attention, golden.at("heads"), rowsOf(weights.at("ffn").at("W1"))), attention);
    for (const at::TensorOptions& options : checks.types()) {
        const StackUnderTest layer(document, options, layerCase.stack);
        layerCase.load(layer, weights);
        std::map<std::string, at::Tensor> leaves;
        for (const char* leaf : layerCase.leaves) leaves[leaf] = leafFromJson(golden.at("inputs").at(leaf), options);
        const at::Tensor y = runOn(layer, leaves.at("x"), layerCase.surroundings(leaves, golden.at("inputs")));
        if (variable.empty()) {
            checks.compare(output, golden.at("outputs").at(output), y);
        } else {
            backwardOfHalfSquares(y);
            checks.compare(output, golden.at("outputs").at(output), leaves.at(variable).grad());
        }
    }
}

void compareLayerCounts(const LayerCase& layerCase, const Json& golden, CaseChecks& checks) {
    const std::map<std::string, const char*> formOf{{"baseline", "post_baseline"}, {"eau_grc", "post"}};
    const Json& weights = golden.at("weights");
    const Json& attention = weights.at(layerCase.attention);
    const Json dims = dimsOf(attention, golden.at("heads"), rowsOf(weights.at("ffn").at("W1")));
    const Json counts = golden.value("param_count", Json::object());
    for (const auto& [name, expected] : counts.items()) {
        if (!formOf.contains(name)) {
            checks.reportUnknown("param_count " + name);
            continue;
        }
        const StackUnderTest layer(layerDocument(layerForms().at(formOf.at(name)), dims, attention), at::kFloat,
                                   layerCase.stack);
        checks.compareCounts("param_count " + name, expected, layer.counts());
    }
}

void verifyLayer(const LayerCase& layerCase, const Json& golden, CaseChecks& checks) {
    for (const auto& [output, expected] : golden.at("outputs").items()) {
        const auto [form, variable] = splitGradient(output);
        const bool knowsLeaf = variable.empty() || contains(layerCase.leaves, variable);
        if (layerForms().contains(form) && knowsLeaf) compareOutput(layerCase, golden, output, checks);
    }
    compareLayerCounts(layerCase, golden, checks);
    checks.reportRest(golden.at("outputs"));
}

}  // namespace

void verifyAttention(const Json& golden, CaseChecks& checks) {
    // A cross-attention with nothing around it: its output is the sublayer's.
    const Json& weights = golden.at("weights");
    Json defaults = biasesOf(weights);
    defaults["residual"] = defaults["norm"] = "none";
    const Json document{{"dims", dimsOf(weights, golden.at("heads"), 1)},
                        {"defaults", defaults},
                        {"decoder", {{"sublayers", {Json{{"name", "cross"}}}}}}};
    for (const at::TensorOptions& options : checks.types()) {
        const StackUnderTest layer(document, options, "decoder");
        const std::string path = layer.path(0, "cross");
        loadAttention(layer.store(), path, weights);
        const at::Tensor xq = leafFromJson(golden.at("inputs").at("xq"), options),
                         xk = leafFromJson(golden.at("inputs").at("xk"), options);
        const Surroundings around{masksOf({}, "", xq), masksOf(golden.at("inputs"), "key_keep", xk), xk};
        RecordingTaps taps;
        const at::Tensor y = runOn(layer, xq, around, &taps);
        backwardOfHalfSquares(y);
        checks.compareAll(golden.at("outputs"), {{"scores", taps.seen().at(path + ".scorer.score")},
                                                 {"probs", taps.seen().at(path + ".weight")},
                                                 {"y", y},
                                                 {"dloss_dxq", xq.grad()},
                                                 {"dloss_dxk", xk.grad()}});
        if (options.dtype() == at::kDouble && golden.contains("param_count"))
            checks.compareCounts("param_count", golden.at("param_count"), layer.counts());
    }
    checks.reportRest(golden.at("outputs"));
}

void verifyEncoderLayer(const Json& golden, CaseChecks& checks) {
    const auto load = [](const StackUnderTest& layer, const Json& weights) {
        loadAttention(layer.store(), layer.path(0, "self"), weights.at("attn"));
        loadSurroundings(layer.store(), layer.path(0, "self"), weights, "1");
        loadFeedForward(layer.store(), layer.path(0, "ffn"), weights.at("ffn"));
        loadSurroundings(layer.store(), layer.path(0, "ffn"), weights, "2");
    };
    const auto surroundings = [](const std::map<std::string, at::Tensor>& leaves, const Json& inputs) {
        const KeyMasks keys = masksOf(inputs, "key_keep", leaves.at("x"));
        return Surroundings{keys, keys, {}};
    };
    verifyLayer({"encoder", "attn", load, surroundings, {"x"}}, golden, checks);
}

void verifyDecoderLayer(const Json& golden, CaseChecks& checks) {
    const auto load = [](const StackUnderTest& layer, const Json& weights) {
        loadAttention(layer.store(), layer.path(0, "self"), weights.at("self"));
        loadSurroundings(layer.store(), layer.path(0, "self"), weights, "1");
        loadAttention(layer.store(), layer.path(0, "cross"), weights.at("cross"));
        loadSurroundings(layer.store(), layer.path(0, "cross"), weights, "2");
        loadFeedForward(layer.store(), layer.path(0, "ffn"), weights.at("ffn"));
        loadSurroundings(layer.store(), layer.path(0, "ffn"), weights, "3");
    };
    const auto surroundings = [](const std::map<std::string, at::Tensor>& leaves, const Json& inputs) {
        const at::Tensor& memory = leaves.at("memory");
        return Surroundings{masksOf({}, "", leaves.at("x")), masksOf(inputs, "memory_keep", memory), memory};
    };
    verifyLayer({"decoder", "self", load, surroundings, {"x", "memory"}}, golden, checks);
}

}  // namespace heddle::verify
