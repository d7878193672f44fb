// SPDX-License-Identifier: Apache-2.0
// Golden cases of score carries and score gates, on stacks of attentions with given scores.
#include "engine/device/torch_pch.h"
#include "engine/verify/score_stack.h"

namespace heddle::verify {

namespace {

/// The form of the stack for one of the outputs.
struct GateForm {
    Json offsets, gate;
    const char* mask = "none";
};

const std::map<std::string, GateForm>& gateForms() {
    static const Json kPlain = Json::object();
    static const std::map<std::string, GateForm> kForms{{"realformer_m1", {{1}, nullptr}},
                                                        {"multi_m2", {{1, 2}, nullptr}},
                                                        {"multi_m3", {{1, 2, 3}, nullptr}},
                                                        {"G1", {{1}, kPlain}},
                                                        {"G2_shared", {{1, 2}, kPlain}},
                                                        {"G3_shared", {{1, 2, 3}, kPlain}},
                                                        {"G2_separate", {{1, 2}, {{"per_source", true}}}},
                                                        {"G1_sigmoid", {{1}, {{"act", "sigmoid"}}}},
                                                        {"skip2", {{2}, kPlain}},
                                                        {"G1_nobias", {{1}, {{"bias", "none"}}}},
                                                        {"G1_causal_zero", {{1}, kPlain, "causal"}},
                                                        {"G1_causal_raw", {{1}, {{"mask_prev", "raw"}}, "causal"}}};
    return kForms;
}

/// The case's scores, the farthest layer first, and its values.
struct GateInputs {
    GateInputs(const Json& inputs, const at::TensorOptions& options) : values(tensorFromJson(inputs.at("values"), options)) {
        for (const char* name : {"prev3", "prev2", "prev1", "scores"}) scores.push_back(leafFromJson(inputs.at(name), options));
    }
    at::Tensor& prev1() { return scores.at(2); }

    std::vector<at::Tensor> scores;
    at::Tensor values;
};

/// The stack of a form, with the case's weights in its last layer.
ScoreStack stackOf(const GateForm& form, const Json& golden, const std::vector<at::Tensor>& scores) {
    const Json& weights = golden.at("weights");
    ScoreStack::Choice choice;
    choice.score = {{"rule", "add"}, {"offsets", form.offsets}, {"gate", form.gate}};
    choice.scores = scores;
    choice.mask = form.mask;
    choice.maxLen = columnsOf(weights.at("W").at(0));
    choice.valueWidth = columnsOf(golden.at("inputs").at("values").at(0).at(0));
    ScoreStack stack(choice);
    const auto loadGate = [&](const std::string& gate, const std::string& suffix) {
        const std::string path = stack.path(-1) + "." + gate;
        if (stack.store().find(path + ".weight").defined()) load(stack.store(), path + ".weight", weights.at("W" + suffix));
        if (stack.store().find(path + ".bias").defined()) load(stack.store(), path + ".bias", weights.at("b" + suffix));
    };
    loadGate("gate", "");
    loadGate("gate.offset_1", "");
    loadGate("gate.offset_2", "_second");
    return stack;
}

void compareForms(const Json& golden, const at::TensorOptions& options, CaseChecks& checks) {
    const Json& outputs = golden.at("outputs");
    for (const auto& [name, form] : gateForms()) {
        if (!outputs.contains(name)) continue;
        const GateInputs inputs(golden.at("inputs"), options);
        checks.compare(name, outputs.at(name), stackOf(form, golden, inputs.scores).run(inputs.values));
    }
}

/// T, T′ and the gradients of the gated carry.
void compareInside(const Json& golden, const at::TensorOptions& options, CaseChecks& checks) {
    GateInputs inputs(golden.at("inputs"), options);
    const ScoreStack stack = stackOf(gateForms().at("G1"), golden, inputs.scores);
    backwardOfHalfSquares(stack.run(inputs.values));
    const std::string path = stack.path(-1);
    checks.compareAll(golden.at("outputs"), {{"T", stack.seen(path + ".gate")},
                                             {"Tprime", stack.seen(path + ".gated")},
                                             {"G1_dloss_dprev", inputs.prev1().grad()},
                                             {"G1_dloss_dW", stack.store().find(path + ".gate.weight").grad()},
                                             {"G1_dloss_db", stack.store().find(path + ".gate.bias").grad()}});
}

void compareSliced(const Json& golden, const at::TensorOptions& options, CaseChecks& checks) {
    if (!golden.at("outputs").contains("sliced_S2_probs")) return;
    const GateInputs inputs(golden.at("inputs"), options);
    std::vector<at::Tensor> corners;
    for (const at::Tensor& scores : inputs.scores) corners.push_back(scores.narrow(2, 0, 2).narrow(3, 0, 2));
    const ScoreStack stack = stackOf(gateForms().at("G1"), golden, corners);
    stack.run(inputs.values.narrow(2, 0, 2));
    checks.compare("sliced_S2_probs", golden.at("outputs").at("sliced_S2_probs"), stack.seen(stack.path(-1, "weight")));
}

/// How far the first query's logit of the first key moves when the score of a future key does, over all heads.
double leakOf(const GateForm& form, const Json& golden, const at::TensorOptions& options) {
    const auto logits = [&](double change) {
        GateInputs inputs(golden.at("inputs"), options);
        const at::NoGradGuard noGrad;
        inputs.prev1().select(2, 0).select(2, -1).add_(change);
        const ScoreStack stack = stackOf(form, golden, inputs.scores);
        stack.run(inputs.values);
        return stack.seen(stack.path(-1) + ".logits").select(2, 0).select(2, 0);
    };
    return (logits(1) - logits(0)).abs().max().item<double>();
}

void compareGateCounts(const Json& golden, CaseChecks& checks) {
    const GateInputs inputs(golden.at("inputs"), at::kDouble);
    const auto countsOf = [&](const char* form) { return stackOf(gateForms().at(form), golden, inputs.scores).counts(-1); };
    const Counts all = countsOf("G1"), w = countsOf("G1_nobias");
    const Json counts = golden.value("param_count", Json::object());
    if (counts.contains("W")) checks.compareCounts("param_count W", counts.at("W"), w);
    if (counts.contains("b"))
        checks.compareCounts("param_count b", counts.at("b"), {all.built - w.built, all.formula - w.formula});
}

}  // namespace

void verifyGatedScores(const Json& golden, CaseChecks& checks) {
    const Json& outputs = golden.at("outputs");
    for (const at::TensorOptions& options : checks.types()) {
        compareForms(golden, options, checks);
        compareInside(golden, options, checks);
        compareSliced(golden, options, checks);
    }
    const std::pair<const char*, const char*> leaks[] = {{"leak_raw_row0_logit_change", "G1_causal_raw"},
                                                         {"leak_zero_row0_logit_change", "G1_causal_zero"}};
    for (const auto& [output, form] : leaks)
        if (outputs.contains(output))
            checks.compareNumber(output, outputs.at(output), leakOf(gateForms().at(form), golden, checks.types().front()));
    compareGateCounts(golden, checks);
    checks.reportRest(outputs);
}

void verifyScoreRules(const Json& golden, CaseChecks& checks) {
    const Json& outputs = golden.at("outputs");
    const std::map<std::string, Json> rules{{"raw_m1", {{"offsets", {1}}}},
                                            {"raw_m2", {{"offsets", {1, 2}}}},
                                            {"raw_m3", {{"offsets", {1, 2, 3}}}},
                                            {"raw_skip2", {{"offsets", {2}}}},
                                            {"acc_m1", {{"offsets", {1}}, {"source", "accumulated"}}},
                                            {"acc_m2", {{"offsets", {1, 2}}, {"source", "accumulated"}}},
                                            {"acc_mean", {{"offsets", {1}}, {"source", "accumulated"}, {"mean", true}}}};
    for (const at::TensorOptions& options : checks.types()) {
        const at::Tensor scores_LBHQK = tensorFromJson(golden.at("inputs").at("scores"), options);
        for (const auto& [name, rule] : rules) {
            if (!outputs.contains(name)) continue;
            ScoreStack::Choice choice;
            choice.score = rule;
            choice.score["rule"] = "add";
            choice.scores = scores_LBHQK.unbind(0);
            const ScoreStack stack(choice);
            stack.run(at::zeros_like(choice.scores.front().narrow(2, 0, 1)).transpose(2, 3));  // a value a key
            std::vector<at::Tensor> logits;
            for (std::int64_t layer = 0; layer < scores_LBHQK.size(0); ++layer)
                logits.push_back(stack.seen(stack.path(layer) + ".logits"));
            checks.compare(name, outputs.at(name), at::stack(logits));
        }
    }
    checks.reportRest(outputs);
}

}  // namespace heddle::verify
