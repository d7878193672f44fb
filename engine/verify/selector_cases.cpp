// SPDX-License-Identifier: Apache-2.0
// Golden case of the selector that estimates a mask: a self-attention with nothing around it, in every form of its choice.
#include "engine/device/torch_pch.h"
#include "engine/verify/stack_under_test.h"

namespace heddle::verify {

namespace {

/// The variant of one form of the case.
Json selectorDocument(const Json& golden, const Json& form) {
    const Json& weights = golden.at("weights");
    const auto heads = golden.at("heads").get<std::int64_t>();
    Json selector{{"kind", "sea"}, {"columns", golden.at("columns")}, {"features", rowsOf(weights.at("features"))}};
    for (const char* name : {"k", "group", "kl_weight", "mse_weight"}) selector[name] = form.at(name);
    Json self{{"name", "self"}, {"mask", form.at("mask")}, {"selector", selector}};
    self["residual"] = self["norm"] = "none";
    return {{"topology", "encoder"},
            {"dims",
             {{"d", columnsOf(weights.at("Wq"))},
              {"heads", heads},
              {"key_dim", rowsOf(weights.at("Wq")) / heads},
              {"value_dim", rowsOf(weights.at("Wv")) / heads},
              {"layers_enc", 1},
              {"max_len", golden.at("max_len")}}},
            {"encoder", {{"sublayers", {self}}}}};
}

void loadSelector(const ParameterStore& store, const std::string& path, const Json& weights) {
    for (const std::string name : {"encode", "scales", "rows", "conv1", "conv2", "conv3"})
        loadLinear(store, path + "." + name, weights, name);
    for (const std::string name : {"encode_norm", "norm"}) {
        load(store, path + "." + name + ".weight", weights.at("g" + name));
        load(store, path + "." + name + ".bias", weights.at("c" + name));
    }
    for (const auto& [frozen, table] : store.frozen())
        if (frozen == path + ".features") at::Tensor(table).copy_(tensorFromJson(weights.at("features"), table.options()));
}

void compareForm(const Json& golden, const std::string& name, const at::TensorOptions& options, CaseChecks& checks) {
    const Json& weights = golden.at("weights");
    const StackUnderTest layer(selectorDocument(golden, golden.at("forms").at(name)), options);
    const std::string path = layer.path(0, "self");
    for (const auto& [part, letter] : {std::pair("scorer.q", "q"), {"scorer.k", "k"}, {"value.v", "v"}, {"value.out", "o"}})
        loadLinear(layer.store(), path + "." + part, weights, letter);
    loadSelector(layer.store(), path + ".selector", weights);
    const at::Tensor x = leafFromJson(golden.at("inputs").at("x"), options);
    const at::Tensor padding = tensorFromJson(golden.at("inputs").at("key_keep"), options).eq(0);
    RecordingTaps taps;
    const at::Tensor y = layer.runFrom(x, x, padding, &taps);
    backwardOfHalfSquares(y);
    const auto seen = [&](const char* tap) { return taps.seen().at(path + "." + tap).to(options); };
    checks.compareAll(golden.at("outputs"), {{name + "_y", y},
                                             {name + "_probs", seen("weight")},
                                             {name + "_estimate", seen("selector.estimate")},
                                             {name + "_loss", seen("selector.estimate_loss")},
                                             {name + "_density", seen("selector.density")},
                                             {name + "_dloss_dx", x.grad()}});
}

}  // namespace

void verifySea(const Json& golden, CaseChecks& checks) {
    for (const auto& [name, form] : golden.at("forms").items())
        for (const at::TensorOptions& options : checks.types()) compareForm(golden, name, options, checks);
    if (golden.contains("param_count")) {
        const StackUnderTest layer(selectorDocument(golden, golden.at("forms").front()), at::kFloat);
        checks.compareCounts("param_count", golden.at("param_count"), layer.counts(layer.path(0, "self.selector")));
    }
    checks.reportRest(golden.at("outputs"));
}

}  // namespace heddle::verify
