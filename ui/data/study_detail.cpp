// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/study_detail.h"

#include "app/study/report.h"
#include "engine/analysis/metric_summary.h"
#include "engine/analysis/paired_difference.h"
#include "engine/spec/schedules.h"
#include "storage/run_query.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace heddle::ui {
namespace {

/// The runs of both groups.
RunTable pairOf(const RunTable& table, const std::string& baseline, const std::string& group) {
    RunTable both;
    for (const RunPointer& run : table.runs)
        if (run->record.groupKey == baseline || run->record.groupKey == group) both.runs.push_back(run);
    both.metrics = table.metrics;
    return both;
}

/// Not those of training, which are in every run's curves, nor the parts of another metric, "loss/length:1-10".
bool isResult(const std::string& metric) { return !metric.starts_with("train.") && metric.find('/') == std::string::npos; }

/// The runs whose values the comparison uses.
RunTable usedOf(const RunTable& table, const ComparedGroup& group, const ComparedGroup& baseline) {
    std::set<RunRef> used;
    for (const auto* runs : {&group.runs, &baseline.runs})
        for (const auto& [seed, run] : *runs) used.insert(run);
    RunTable of;
    for (const RunPointer& run : table.runs)
        if (used.contains(run->record.ref)) of.runs.push_back(run);
    return of;
}

/// A study that was asked is answered by its own runs and test, and by nothing before its look.
void addOthers(VerdictDetail& detail, const RunTable& both, const StudyComparison& comparison, const ComparedGroup& group) {
    if (comparison.isAsked && (!group.verdict || !group.verdict->isLookedAt)) return;
    const RunTable runs = comparison.isAsked ? usedOf(both, group, *comparison.baselineGroup()) : both;
    const Judged* judged = comparison.judgedOf(group);
    const double alpha = judged ? judged->study.alpha : Study().alpha;
    std::vector<std::string> metrics;
    for (const std::string& metric : both.metrics)
        if (isResult(metric)) metrics.push_back(metric);
    detail.tests = std::max<std::size_t>(1, metrics.size()) * std::max<std::size_t>(1, comparison.comparisons());
    std::vector<double> p;
    for (const std::string& metric : metrics) {
        if (metric == comparison.metricKey()) continue;
        StudyQuestion question = comparison.question;
        const auto dot = metric.find('.');
        question.metric = {metric.substr(0, dot), metric.substr(dot + 1), question.metric.rule,
                           lowerIsBetter(metric.substr(dot + 1))};
        question.baseline = comparison.baseline;
        const StudyComparison other = compareGroups(runs, question);
        const ComparedGroup *own = other.group(detail.group), *baseline = other.baselineGroup();
        if (other.baseline != comparison.baseline || !own || !own->verdict || !baseline) continue;
        const SeedTest test = comparison.isAsked ? group.test : own->test;
        AlsoMeasured also{metric, seedDifference(own->values, baseline->values, test, alpha / double(detail.tests)), {}};
        if (also.difference.p) p.push_back(*also.difference.p);
        detail.also.push_back(std::move(also));
    }
    const auto corrected = holmCorrected(p, std::int64_t(detail.tests));
    auto next = corrected.begin();
    for (AlsoMeasured& also : detail.also) {
        if (!also.difference.p) continue;
        also.p = *next++;
        const auto dot = also.metric.find('.');
        also.verdict = verdictOf(also.difference, *also.p, {}, lowerIsBetter(also.metric.substr(dot + 1)), alpha);
    }
}

app::ReportedRun reportedRun(const RunFacts& run, const ComparedGroup& group, const std::string& row) {
    app::ReportedRun reported{row, *run.spec, run.record.id, run.record.state, 1};
    reported.spec.seed = run.record.seed;
    reported.spec.name = run.record.name;
    if (const auto used = group.runs.find(run.record.seed); used != group.runs.end() && used->second == run.record.ref)
        reported.value = group.values.at(run.record.seed);
    reported.parameters = run.record.parameters;
    reported.steps = run.record.step;
    reported.seconds = run.record.seconds;
    reported.extended = extensionsIn(run.record.spec);
    reported.contents = run.contents;
    reported.isIntervened = run.record.intervened >= 0;
    return reported;
}

/// The study of the two rows alone.
Judged pairStudy(const StudyComparison& comparison, const ComparedGroup& group, const PairNames& names) {
    const Judged* judged = comparison.judgedOf(group);
    Judged pair;
    pair.study.metric = comparison.question.metric;
    if (judged) pair.study = judged->study;
    pair.study.baseline = names.baseline;
    pair.study.rows = {{names.baseline, {}}, {names.variant, {}}};
    if (judged) pair.verdict = judged->verdict;
    pair.verdict.rows.clear();
    RowVerdict row = group.verdict.value_or(RowVerdict{});
    row.name = names.variant;
    const auto leftOutOf = [](const ComparedGroup& of) {
        std::vector<LeftOutRun> all;
        for (const LeftOutOfGroup& one : of.leftOut) all.push_back({one.seed, one.why, one.hasFailed});
        return all;
    };
    row.leftOut = leftOutOf(group);
    pair.verdict.baselineLeftOut = leftOutOf(*comparison.baselineGroup());
    pair.verdict.rows.push_back(std::move(row));
    return pair;
}

}  // namespace

VerdictDetail detailOf(const RunTable& table, const StudyComparison& comparison, const std::string& group,
                       const PairNames& names, int database, storage::RunQuery& query) {
    VerdictDetail detail{group, {}, 0, {}, {}};
    const ComparedGroup *own = comparison.group(group), *baseline = comparison.baselineGroup();
    if (!own || !baseline || own == baseline) return detail;
    const RunTable both = pairOf(table, comparison.baseline, group);
    detail.detectable = detectable(comparison, *own);
    addOthers(detail, both, comparison, *own);
    std::vector<app::ReportedRun> runs;
    for (const RunPointer& run : both.runs) {
        if (!run->spec) continue;
        const bool isBaseline = run->record.groupKey == comparison.baseline;
        app::ReportedRun& reported =
            runs.emplace_back(reportedRun(*run, isBaseline ? *baseline : *own, isBaseline ? names.baseline : names.variant));
        if (run->record.ref.database == database) app::readAttempts(reported, query);
    }
    const Judged pair = pairStudy(comparison, *own, names);
    detail.checks = app::fairnessChecks(pair.study, pair.verdict, runs);
    return detail;
}

std::vector<std::pair<std::size_t, double>> detectable(const StudyComparison& comparison, const ComparedGroup& group) {
    const Judged* judged = comparison.judgedOf(group);
    const ComparedGroup* baseline = comparison.baselineGroup();
    if (!judged || !baseline || !group.verdict->difference.p) return {};
    const SeedDifference& difference = group.verdict->difference;
    double deviation = difference.error * std::sqrt(double(difference.n));
    if (group.test == SeedTest::Welch) {
        const double a = group.spread->deviation.value_or(0), b = baseline->spread->deviation.value_or(0);
        deviation = std::sqrt((a * a + b * b) / 2);
    }
    std::vector<std::pair<std::size_t, double>> all;
    if (deviation <= 0) return all;
    for (const std::size_t n : {3, 4, 5, 6, 8, 10})
        if (const auto size = smallestDetectable(group.test, deviation, n, judged->verdict.level / judged->study.family(),
                                                 judged->study.power))
            all.emplace_back(n, *size);
    return all;
}

}  // namespace heddle::ui
