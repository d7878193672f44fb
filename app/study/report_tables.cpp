// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_tables.h"

#include "app/study/verdict_words.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::app {
namespace {

constexpr const char* kNone = "–";

/// Returns whether the table has a column for the interval over seeds and test items together. Without outputs, the table's
/// note says that there is none.
bool isWithItems(const StudyReport& report) { return !report.verdict.items.empty(); }

/// Returns the interval with the numbers of pairs or runs and of items: "[−0.10, +1.70] (6, 1000)".
std::string itemsCell(const StudyVerdict& verdict, const std::string& row) {
    const auto found = verdict.items.find(row);
    if (found == verdict.items.end() || !found->second.interval) return "not computed";
    const TwoLevelDifference& items = found->second;
    return fmt::format("{} ({}, {})", intervalText(*items.interval), items.n, items.items);
}

std::vector<std::string> verdictCells(const StudyReport& report, const std::string& row) {
    const Study& study = report.study;
    const auto found = std::find_if(report.verdict.rows.begin(), report.verdict.rows.end(),
                                    [&row](const RowVerdict& one) { return one.name == row; });
    const std::string value = spreadText(report.valuesOf(row));
    if (found == report.verdict.rows.end()) return {row, "baseline", value};
    const SeedDifference& difference = found->difference;
    const bool isTold = found->isLookedAt && difference.n > 0 && difference.nBaseline > 0;
    const auto smallest = smallestShown(difference, report.verdict.level / study.family(), study.power);
    const auto ifTold = [isTold](bool isThere, const auto& text) { return isTold && isThere ? text() : std::string(kNone); };
    std::vector<std::string> cells{
        row,
        verdictWord(study, report.verdict, *found),
        value,
        ifTold(true, [&] { return signedNumberText(difference.difference); }),
        ifTold(difference.interval.has_value(), [&] { return intervalText(*difference.interval); }),
        ifTold(found->correctedP.has_value(), [&] { return pText(*found->correctedP); }),
        ifTold(difference.correlation.has_value(), [&] { return fmt::format("{:.2f}", *difference.correlation); }),
        ifTold(smallest.has_value(), [&] { return numberText(*smallest); })};
    if (isWithItems(report)) cells.push_back(itemsCell(report.verdict, row));
    return cells;
}

}  // namespace

ExportedTable verdictTable(const StudyReport& report) {
    const Study& study = report.study;
    ExportedTable table;
    table.columns = {"variant",          "verdict",       study.metric.split + " " + study.metric.name + " (n)",
                     "difference",       "interval",      "p",
                     "seed correlation", "smallest shown"};
    if (isWithItems(report)) table.columns.emplace_back("interval with items (n, items)");
    table.textColumns = 2;
    for (const PlanRow& row : study.rows) table.rows.emplace_back(verdictCells(report, row.name)).resize(table.columns.size());
    table.note =
        fmt::format("{}. Mean ± standard deviation over seeds (n). {}", metricWords(study), testWords(study, report.verdict));
    for (const std::string& more :
         {intervalWords(study, report.verdict), coverWords(study), itemsTestWords(study, report.verdict)})
        if (!more.empty()) table.note += " " + more;
    return table;
}

std::optional<ExportedTable> alongTable(const StudyReport& report) {
    if (!report.along) return {};
    const Study& study = report.study;
    ExportedTable table;
    table.columns = {"variant",      "reach",        "median step", "median seconds",
                     "median FLOPs", "area between", "interval",    "band without 0"};
    table.textColumns = 2;
    for (const RowAlong& row : report.along->rows) {
        std::vector<std::string> cells{
            row.row, row.reached.text(), row.reached.median ? fmt::format("{:.0f}", *row.reached.median) : kNone,
            row.seconds ? fmt::format("{:.1f}", *row.seconds) : kNone, row.flops ? fmt::format("{:.3g}", *row.flops) : kNone};
        const auto& along = row.difference;
        const bool isThere = along && !along->points.empty();
        cells.emplace_back(isThere ? signedNumberText(along->area.difference) : kNone);
        cells.emplace_back(isThere && along->area.interval ? intervalText(*along->area.interval) : kNone);
        const auto beyond = isThere ? std::count_if(along->points.begin(), along->points.end(),
                                                    [](const CurvePoint& p) { return p.band && !p.band->contains(0); })
                                    : 0;
        cells.push_back(isThere && along->whyNone.empty() ? fmt::format("at {} of {} evaluations", beyond, along->points.size())
                                                          : kNone);
        table.rows.push_back(std::move(cells));
    }
    table.note = fmt::format(
        "Reach: the first evaluation that is {} or better, the mean of the last values of {}; median step, seconds and FLOPs "
        "are those of training up to there, without evaluations, on each run's own device. FLOPs are counted for the tokens "
        "that were trained. Area: the mean height of the difference over steps. Intervals and bands have the level of the "
        "verdict's; they cover seeds alone and decide "
        "nothing.",
        numberText(report.along->target), study.baseline);
    return table;
}

ExportedTable runsTable(const StudyReport& report) {
    ExportedTable table;
    table.columns = {"variant",    "run",
                     "state",      "device",
                     "host",       "heddle",
                     "torch",      "data SHA-256",
                     "seed",       report.study.metric.split + " " + report.study.metric.name,
                     "parameters", "training FLOPs a token",
                     "steps",      "seconds",
                     "threads"};
    table.textColumns = 8;
    for (const ReportedRun& run : report.runs) {
        if (!run.hasBegun()) continue;
        const TrainedOn place = run.attempts.empty() ? TrainedOn{} : run.attempts.back();
        const auto train = run.contents.find("data.train.source");
        table.rows.push_back({run.row, run.id, run.state, place.device, place.host, place.program, place.torch,
                              train == run.contents.end() ? kNone : train->second.substr(0, 12), std::to_string(run.spec.seed),
                              run.value ? fmt::format("{}", *run.value) : kNone, std::to_string(run.parameters),
                              run.flops ? fmt::format("{:.0f}", *run.flops) : kNone, std::to_string(run.steps),
                              fmt::format("{:.1f}", run.seconds), std::to_string(place.threads)});
    }
    return table;
}

}  // namespace heddle::app
