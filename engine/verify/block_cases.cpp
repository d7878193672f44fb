// SPDX-License-Identifier: Apache-2.0
// Golden cases of single blocks, each made by its factory as the builder makes it; and of corpus BLEU.
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/bleu.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/catalogue.h"
#include "engine/verify/one_block.h"

namespace heddle::verify {

namespace {

template <class Slot>
void compareParamCount(const OneBlock& choice, const Json& golden, CaseChecks& checks) {
    if (!golden.contains("param_count")) return;
    const auto& descriptor = builtinCatalogue().at(choice.slot, choice.id);
    checks.compareCounts(
        "param_count", golden.at("param_count"),
        {choice.make<Slot>(at::kFloat).store.count(), descriptor.parameterCount(choice.where(), choice.allParams())});
}

void compareEau(const OneBlock& choice, const Json& golden, const at::TensorOptions& options, CaseChecks& checks) {
    const auto eau = choice.make<Adjuster>(options);
    for (const std::string i : {"1", "2", "3"}) loadLinear(eau.store, "block.w" + i, golden.at("weights"), i);
    RecordingTaps taps;
    const at::Tensor x = leafFromJson(golden.at("inputs").at("x"), options);
    const at::Tensor y = eau->adjust(x, x, {.taps = &taps});
    backwardOfHalfSquares(y);
    const auto& seen = taps.seen();
    checks.compareAll(golden.at("outputs"), {{"h", seen.at("block.hidden")},
                                             {"e", seen.at("block.evaluation")},
                                             {"a", seen.at("block.adjustment")},
                                             {"y", y},
                                             {"dloss_dx", x.grad()}});
}

struct Gated {
    at::Tensor y, g;
};

Gated joinGated(const OneBlock& choice, const Json& golden, const at::Tensor& r, const at::Tensor& s) {
    const auto residual = choice.make<Residual>(r.options());
    loadLinear(residual.store, "block.gate", golden.at("weights"), "g");
    RecordingTaps taps;
    const at::Tensor y = residual->join(r, r, s, {.taps = &taps});
    return {y, taps.seen().at("block.gate")};
}

}  // namespace

void verifyEau(const Json& golden, CaseChecks& checks) {
    const Json& w1 = golden.at("weights").at("W1");
    OneBlock choice{"adjuster", "eau", {{"hidden", rowsOf(w1)}}, {}};
    choice.dims.d = columnsOf(w1);
    for (const at::TensorOptions& options : checks.types()) compareEau(choice, golden, options, checks);
    compareParamCount<Adjuster>(choice, golden, checks);
    checks.reportRest(golden.at("outputs"));
}

void verifyGrc(const Json& golden, CaseChecks& checks) {
    Dims dims;
    dims.d = rowsOf(golden.at("weights").at("Wg"));
    const OneBlock grc{"residual", "grc", Json::object(), dims}, highway{"residual", "highway", Json::object(), dims};
    const OneBlock gatedByS{"residual", "grc", {{"gate_input", "s"}}, dims};
    for (const at::TensorOptions& options : checks.types()) {
        const at::Tensor r = leafFromJson(golden.at("inputs").at("r"), options),
                         s = leafFromJson(golden.at("inputs").at("s"), options);
        const Gated gated = joinGated(grc, golden, r, s);
        backwardOfHalfSquares(gated.y);
        checks.compareAll(golden.at("outputs"), {{"g", gated.g},
                                                 {"y", gated.y},
                                                 {"y_highway", joinGated(highway, golden, r, s).y},
                                                 {"y_gate_from_s", joinGated(gatedByS, golden, r, s).y},
                                                 {"dloss_dr", r.grad()},
                                                 {"dloss_ds", s.grad()}});
    }
    compareParamCount<Residual>(grc, golden, checks);
    checks.reportRest(golden.at("outputs"));
}

void verifyPositions(const Json& golden, CaseChecks& checks) {
    const Json& outputs = golden.at("outputs");
    Dims dims;
    dims.maxLen = golden.at("inputs").at("n");
    dims.d = golden.at("inputs").at("d");
    const std::pair<const char*, const char*> kinds[] = {
        {"interleaved", "sinusoid"}, {"concat", "sinusoid_concat"}, {"atinuke", "sinusoid_double"}};
    for (const at::TensorOptions& options : checks.types()) {
        for (const auto& [output, id] : kinds) {
            if (!outputs.contains(output)) continue;
            const auto position = OneBlock{"position", id, Json::object(), dims}.make<Position>(options);
            const at::Tensor zero = at::zeros({1, dims.maxLen, dims.d}, options);
            checks.compare(output, outputs.at(output), position->add(zero, 0).squeeze(0));
        }
    }
    checks.reportRest(outputs);
}

void verifyBleu(const Json& golden, CaseChecks& checks) {
    using Sentences = std::vector<std::vector<std::string>>;
    const Json& outputs = golden.at("outputs");
    const auto score = corpusBleuTokens(golden.at("inputs").at("hypotheses").get<Sentences>(),
                                        golden.at("inputs").at("references").get<Sentences>(), "none");
    const auto numbers = [&](const std::string& name, const std::array<std::int64_t, 4>& computed) {
        if (!outputs.contains(name)) return;
        const auto expected = outputs.at(name).get<std::vector<std::int64_t>>();
        if (expected.size() != computed.size()) return checks.report(name, "n-grams of order above 4 are not supported");
        for (std::size_t n = 0; n < computed.size(); ++n) {
            checks.compareCount(name + " " + std::to_string(n + 1), expected[n], computed[n]);
        }
        checks.settle(name);
    };
    const auto count = [&](const std::string& name, std::int64_t computed) {
        if (outputs.contains(name)) checks.compareCount(name, outputs.at(name), computed);
    };
    const auto number = [&](const std::string& name, double computed) {
        if (outputs.contains(name)) checks.compareNumber(name, outputs.at(name), computed);
    };
    numbers("matches", score.statistics.matches);
    numbers("totals", score.statistics.totals);
    count("hyp_len", score.statistics.hypothesisLength);
    count("ref_len", score.statistics.referenceLength);
    number("brevity_penalty", score.brevityPenalty);
    number("bleu", score.bleu);
    checks.reportRest(outputs);
}

}  // namespace heddle::verify
