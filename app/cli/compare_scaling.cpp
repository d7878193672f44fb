// SPDX-License-Identifier: Apache-2.0
#include "app/cli/comparison.h"

#include "app/study/report.h"
#include "app/study/verdict_words.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/run_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace heddle::app {
namespace {

/// 0: not known.
double sizeOf(const storage::RunRecord& run, const std::string& by, storage::RunQuery& query) {
    if (by == "parameters") return double(run.parameters);
    if (foreignSpec(run.spec)) return 0;
    ReportedRun read;
    read.id = run.id;
    read.spec = RunSpec::parse(parseJson(run.spec, "run " + run.id), builtinCatalogue());
    readAttempts(read, query);
    return read.flops.value_or(0);
}

/// Of validation where it was measured there.
const MetricRow* lossOf(const Comparison& comparison) {
    const MetricRow* found = nullptr;
    for (const MetricRow& row : comparison.metrics)
        if (row.metric == "loss" && (found == nullptr || row.split == "valid")) found = &row;
    return found;
}

Json estimateDocument(const std::optional<Estimate>& estimate) {
    if (!estimate) return {};
    return {{"value", estimate->value}, {"interval", {estimate->interval.low, estimate->interval.high}}};
}

std::string estimateText(const Estimate& estimate) {
    return fmt::format("{} [{}, {}]", numberText(estimate.value), numberText(estimate.interval.low),
                       numberText(estimate.interval.high));
}

}  // namespace

void requireScaling(const std::string& by) {
    if (by != "parameters" && by != "flops") throwUsage("unknown size", by, "use parameters or flops");
}

ComparedScaling scalingOf(const Comparison& comparison, const std::string& by, storage::RunQuery& query) {
    ComparedScaling scaling{by, "", {}, {}};
    const MetricRow* const loss = lossOf(comparison);
    if (loss == nullptr) {
        scaling.fit.whyNone = "no run has a loss";
        return scaling;
    }
    scaling.metric = loss->split + " loss";
    std::vector<SizedRun> runs;
    for (const GroupColumn& group : comparison.groups)
        for (const std::size_t place : group.counted) {
            const storage::RunRecord& run = comparison.runs[place];
            const auto& value = loss->values[place];
            const double size = sizeOf(run, by, query);
            if (!value || !loss->doubts[place].empty() || isGiven(value) || !(size > 0))
                scaling.leftOut.push_back(run.id);
            else
                runs.push_back({size, value->last});
        }
    scaling.fit = scalingFit(runs, 0.05);
    return scaling;
}

Json scalingDocument(const ComparedScaling& scaling) {
    const ScalingFit& fit = scaling.fit;
    const bool isThere = fit.exponent.has_value();
    Json document{{"by", scaling.by == "flops" ? "training FLOPs a token" : "parameters"},
                  {"metric", scaling.metric},
                  {"n", fit.n},
                  {"sizes", fit.sizes},
                  {"exponent", estimateDocument(fit.exponent)},
                  {"floor", estimateDocument(fit.floor)},
                  {"factor", isThere ? Json(fit.factor) : Json()},
                  {"scatter", isThere ? Json(fit.scatter) : Json()},
                  {"freedom", isThere ? Json(fit.freedom) : Json()},
                  {"level", 0.95},
                  {"left_out", scaling.leftOut}};
    if (!fit.whyNone.empty()) document["why_none"] = fit.whyNone;
    if (!fit.whyNoFloor.empty()) document["why_no_floor"] = fit.whyNoFloor;
    return document;
}

std::string scalingText(const ComparedScaling& scaling) {
    const ScalingFit& fit = scaling.fit;
    const std::string size = scaling.by == "flops" ? "training FLOPs a token" : "parameters";
    std::string text = fmt::format("\npower law over {}\n", size);
    if (!fit.exponent)
        text += fmt::format("no law: {} ({} runs, {} sizes)\n", fit.whyNone, fit.n, fit.sizes);
    else
        text += fmt::format(
            "{} = {:.4g} · N^(−b){}: b {}{}; {} runs of {} sizes, 95 % intervals; runs scatter by {:.2g} % around it\n",
            printable(scaling.metric), fit.factor, fit.floor ? " + c" : "", estimateText(*fit.exponent),
            fit.floor ? ", c " + estimateText(*fit.floor) : "", fit.n, fit.sizes, 100 * fit.scatter);
    if (fit.exponent && !fit.whyNoFloor.empty()) text += "no irreducible loss c: " + fit.whyNoFloor + "\n";
    if (!scaling.leftOut.empty())
        text += fmt::format("left out, without size or comparable loss: {}\n", fmt::join(scaling.leftOut, ", "));
    return text +
           "It takes the law for true: whether it holds beyond the largest size is not known, and of runs that are tuned "
           "unequally well it is a law of the tuning.\n";
}

}  // namespace heddle::app
