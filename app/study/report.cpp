// SPDX-License-Identifier: Apache-2.0
#include "app/study/report.h"

#include "engine/analysis/run_group.h"
#include "engine/base/error.h"
#include "engine/run/attempt_facts.h"
#include "engine/spec/cost.h"
#include "engine/spec/data_files.h"
#include "engine/spec/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace heddle::app {
namespace {

/// Forward and backward FLOPs of a token, with the vocabularies that the run found in its data; nothing where they are not
/// known.
std::optional<double> flopsOf(const VariantSpec& variant, const AttemptFacts& facts) {
    try {
        const ResolvedVariant resolved = variant.resolve(facts.vocabSource, facts.vocabTarget, facts.classes);
        if (!hasVocabulary(resolved)) return {};
        double flops = 0;
        for (const ModuleCost& module : countCost(resolved).modules)
            flops += module.flopsPerToken + module.flopsBackwardPerToken;
        return flops;
    } catch (const Error&) {  // of another version of the program
        return {};
    }
}

ReportedRun reportedRun(const StudyRuns& runs, const PlannedRun& planned, storage::RunQuery& query) {
    ReportedRun run{runs.nameOfRow(planned), planned.spec, planned.id, planned.state, planned.times};
    run.hasSpec = planned.hasSpec;
    const auto record = run.hasBegun() ? query.run(run.id) : std::nullopt;
    if (!record || record->damaged) return run;
    if (const auto row = runs.values().find(run.row); row != runs.values().end())
        if (const auto value = row->second.values.find(run.spec.seed); value != row->second.values.end())
            run.value = value->second;
    run.parameters = record->parameters;
    run.steps = record->step;
    run.seconds = record->seconds;
    run.extended = extensionsIn(record->spec);
    run.isIntervened = record->intervened >= 0;
    readAttempts(run, query);
    return run;
}

/// The split beside the one that the study looks at: it selects on one and reports the other, or looks at the test set at once.
std::string otherThan(const std::string& split) { return split == "test" ? "valid" : "test"; }

using Curve = std::vector<std::pair<double, double>>;

/// Fills what a report has of the curves of its runs.
class Curves {
public:
    Curves(StudyReport& report, storage::RunQuery& query) : report_(report), query_(query) {
        report_.other.split = otherThan(report_.study.metric.split);
        for (const PlanRow& row : report_.study.rows) {
            add(report_.curves, row.name, [this](const ReportedRun& run) { return evaluated(run); });
            add(report_.training, row.name, [this](const ReportedRun& run) { return trained(run); });
        }
        report_.along = curvesAlong(report_.study, report_.verdict, seeds_, efforts_);
    }

private:
    void add(std::vector<ReportedCurve>& to, const std::string& row, const auto& curveOf) {
        std::vector<Curve> curves;
        for (const ReportedRun& run : report_.runs)
            if (run.row == row && run.value) curves.push_back(curveOf(run));
        ReportedCurve curve{row, curves.size(), meanCurve(curves)};
        if (!curve.points.empty()) to.push_back(std::move(curve));
    }

    Curve evaluated(const ReportedRun& run) {
        const StudyMetric& metric = report_.study.metric;
        StudyMetric other = metric;
        other.split = report_.other.split;
        Curve curve;
        for (const storage::EvaluationRecord& one : query_.evaluations(run.id)) {
            if (one.metric != metric.name || one.damaged) continue;
            if (one.split == metric.split) curve.emplace_back(static_cast<double>(one.step), one.value);
            if (one.split == metric.recordedSplit() && run.row == report_.study.baseline)
                report_.measured = {one.n, one.signature, splitContent(run.contents, one.split)};
            if (one.split == other.recordedSplit()) report_.other.values[run.row][run.spec.seed] = one.value;
        }
        std::vector<double> steps;
        for (const auto& [step, value] : curve) steps.push_back(step);
        seeds_[run.row][run.spec.seed] = curve;
        efforts_[run.row][run.spec.seed] = effortAt(query_, run.id, steps, run.flops);
        return curve;
    }

    Curve trained(const ReportedRun& run) {
        constexpr std::int64_t kBuckets = 120, kEnd = std::numeric_limits<std::int64_t>::max();
        Curve curve;
        for (const auto& one : query_.overview(run.id, "loss", "", 0, kEnd, kBuckets))
            curve.emplace_back(static_cast<double>(one.firstStep + one.lastStep) / 2, one.mean);
        return curve;
    }

    StudyReport& report_;
    storage::RunQuery& query_;
    std::map<std::string, SeedCurves> seeds_;  ///< evaluated(), by row
    std::map<std::string, SeedEfforts> efforts_;
};

std::vector<std::string> notDone(const StudyReport& report) {
    const Study& study = report.study;
    std::vector<std::string> all;
    if (!study.tuning)
        all.emplace_back(
            "Hyperparameters were not searched: each variant was trained with the settings that its row names, among "
            "them one learning rate.");
    if (!study.margin)
        all.emplace_back(
            "Equivalence was not tested: the study names no margin, so \"no difference shown\" does not mean equal.");
    if (report.verdict.comparisons > 1 && !study.holm)
        all.emplace_back("The p values were not corrected for the number of variants.");
    all.emplace_back(
        "No metric but the study's was tested, and of its steps the one that its rule names decides; bands along the curves "
        "are told beside it.");
    if (study.outputs.empty())
        all.emplace_back(
            "The interval over seeds and test items together was not computed: the study names no folder with the outputs of "
            "its "
            "runs (\"outputs\"). What stands there covers seeds alone.");
    for (const auto& [row, items] : report.verdict.items)
        if (!items.interval)
            all.push_back(
                fmt::format("{}: the interval over seeds and test items together was not computed: {}. What stands "
                            "there covers seeds alone.",
                            row, items.whyNone));
    if (report.other.values.empty())
        all.push_back("No run has a " + report.other.split + " " + study.metric.name + ": only " + study.metric.split +
                      " values are reported.");
    if (!report.verdict.nextSeeds.empty())
        all.emplace_back("The study has not ended: it asks for more seeds, and its verdict may change.");
    return all;
}

}  // namespace

void readAttempts(ReportedRun& run, storage::RunQuery& query) {
    for (const storage::AttemptRecord& attempt : query.attempts(run.id)) {
        if (attempt.damaged) continue;
        const AttemptFacts facts = attemptFacts(attempt.context);
        const TrainedOn place{attempt.device + (facts.deviceName.empty() ? "" : ", " + facts.deviceName),
                              attempt.host,
                              attempt.program,
                              attempt.torch,
                              facts.precision,
                              attempt.threads};
        if (std::find(run.attempts.begin(), run.attempts.end(), place) == run.attempts.end()) run.attempts.push_back(place);
        run.peakBytes = std::max(run.peakBytes, attempt.peakBytes);
        if (!run.hasSpec) continue;
        run.contents = fileContents(run.spec, facts.dataHashes);  // the newest attempt's stay
        run.flops = flopsOf(run.spec.variant, facts);
    }
}

SeedValues StudyReport::valuesOf(const std::string& row) const {
    SeedValues values;
    for (const ReportedRun& run : runs)
        if (run.row == row && run.value) values[run.spec.seed] = *run.value;
    return values;
}

StudyReport studyReport(const StudyRuns& runs, StudyVerdict told, storage::RunQuery& query) {
    StudyReport report;
    report.study = runs.study();
    report.verdict = std::move(told);
    for (const PlannedRun& planned : runs.planned()) report.runs.push_back(reportedRun(runs, planned, query));
    const Curves curves(report, query);  // adds them to the report
    std::vector<std::vector<double>> groups;
    for (const PlanRow& row : report.study.rows) {
        groups.emplace_back();
        for (const auto& [seed, value] : report.valuesOf(row.name)) groups.back().push_back(value);
    }
    report.floor = noiseFloor(groups);
    for (const PlannedRun& trial : runs.trials())
        if (const auto record = trial.id.empty() ? std::nullopt : query.run(trial.id)) {
            ++report.trials;
            report.trialSeconds += record->seconds;
        }
    report.checks = fairnessChecks(report.study, report.verdict, report.runs);
    report.notDone = notDone(report);
    report.made = storage::unixTime();
    return report;
}

}  // namespace heddle::app
