// SPDX-License-Identifier: Apache-2.0
#include "app/cli/study_report.h"

#include "app/cli/terminal.h"
#include "app/study/study_told.h"
#include "app/study/verdict_words.h"
#include "engine/analysis/spread.h"
#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::app {
namespace {

std::vector<double> valuesOf(const SeedValues& seeds) {
    std::vector<double> values;
    for (const auto& [seed, value] : seeds) values.push_back(value);
    return values;
}

Json optional(const auto& value) { return value ? Json(*value) : Json(); }

Json intervalDocument(const std::optional<Interval>& interval) {
    return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json leftOutDocument(const std::vector<LeftOutRun>& runs) {
    Json all = Json::array();
    for (const LeftOutRun& run : runs) all.push_back({{"seed", run.seed}, {"why", run.why}, {"failed", run.hasFailed}});
    return all;
}

const char* wordOf(Decision decision) {
    switch (decision) {
    case Decision::Open: return "open";
    case Decision::Shown: return "shown";
    case Decision::Over: return "over";
    case Decision::Hopeless: break;
    }
    return "hopeless";
}

Json ranksDocument(const RankDifference& ranks) {
    Json document{{"test", ranks.test == SeedTest::Paired ? "signed_rank" : "rank_sum"},
                  {"median", optional(ranks.median)},
                  {"equal", ranks.equal},
                  {"p", optional(ranks.p)},
                  {"least", ranks.p ? Json(ranks.least) : Json()}};
    if (!ranks.whyNone.empty()) document["why_none"] = ranks.whyNone;
    return document;
}

/// The numbers of a test are null until the study may look at them.
Json rowDocument(const Study& study, const RowVerdict& row, double level) {
    const SeedDifference& difference = row.difference;
    const auto ifLookedAt = [&row](const auto& value) { return row.isLookedAt ? optional(value) : Json(); };
    Json document{{"name", row.name},
                  {"verdict", nameOf(row.verdict)},
                  {"decision", wordOf(row.decision)},
                  {"looked_at", row.isLookedAt},
                  {"difference", difference.n > 0 && difference.nBaseline > 0 ? Json(difference.difference) : Json()},
                  {"n", difference.n},
                  {"n_baseline", difference.nBaseline},
                  {"interval", row.isLookedAt ? intervalDocument(difference.interval) : Json()},
                  {"error", difference.error},
                  {"freedom", difference.freedom},
                  {"p", ifLookedAt(difference.p)},
                  {"p_corrected", ifLookedAt(row.correctedP)},
                  {"p_equivalence_corrected", ifLookedAt(row.equivalenceP)},
                  {"seed_correlation", optional(difference.correlation)},
                  {"smallest_detectable", optional(smallestShown(difference, level, study.power))},
                  {"left_out", leftOutDocument(row.leftOut)},
                  {"seeds_without_partner", difference.alone}};
    if (difference.signFlip && row.isLookedAt)
        document["sign_flip"] = {{"p", difference.signFlip->p}, {"least", difference.signFlip->least}};
    if (row.ranks) document["ranks"] = ranksDocument(*row.ranks);
    if (!difference.whyNone.empty()) document["why_none"] = difference.whyNone;
    return document;
}

Json rowItemsDocument(const TwoLevelDifference& items) {
    const auto ifThere = [&items](double value) { return items.interval ? Json(value) : Json(); };
    Json document{{"difference", ifThere(items.difference)},
                  {"interval", intervalDocument(items.interval)},
                  {"p", optional(items.p)},
                  {"error", ifThere(items.error)},
                  {"freedom", ifThere(items.freedom)},
                  {"seed_error", ifThere(items.seedError)},
                  {"item_error", ifThere(items.itemError)},
                  {"n", items.n},
                  {"n_baseline", items.nBaseline},
                  {"items", items.items}};
    if (!items.whyNone.empty()) document["why_none"] = items.whyNone;
    return document;
}

/// Returns a line for each row about its difference over seeds and test items together; empty if the study names no outputs.
std::string rowItemsText(const Study& study, const StudyVerdict& verdict) {
    if (verdict.items.empty()) return "";
    std::string text;
    for (const RowVerdict& row : verdict.rows)
        text +=
            fmt::format("{}, seeds and test items together: {}\n", printable(row.name), printable(itemsWords(verdict, row)));
    return text + printable(itemsTestWords(study, verdict)) + "\n";
}

constexpr std::size_t kMostLines = 3;  ///< variants that are told in a line each; more of them are a table

/// The question and what answers it.
std::string questionLine(const Study& study) {
    return study.question.empty() ? metricWords(study) + "\n"
                                  : fmt::format("{} ({})\n", printable(study.question), metricWords(study));
}

std::string leftOutText(const Study& study, const StudyVerdict& verdict) {
    std::string text;
    for (const std::string& words : leftOutWords(study, verdict)) text += "left out: " + printable(words) + "\n";
    return text;
}

std::string verdictLines(const Study& study, const StudyVerdict& verdict) {
    std::string text = fmt::format("{}: {}, the baseline\n", printable(study.baseline), spreadText(verdict.baseline));
    for (const RowVerdict& row : verdict.rows) {
        text += fmt::format("{}: {}", printable(row.name), rowSentence(study, verdict, row));
        for (const ControlSize& control : verdict.controls)
            if (control.row == row.name && control.match != ControlMatch::Time)
                text += fmt::format("; {} parameters beside {}, {} FLOPs a token beside {}", countText(control.parameters),
                                    countText(control.parametersOf), countText(std::int64_t(control.flops)),
                                    countText(std::int64_t(control.flopsOf)));
        text += "\n";
    }
    return text;
}

std::string verdictTable(const Study& study, const StudyVerdict& verdict) {
    Table table({"", "n", "difference", "interval", "p", "verdict"});
    table.add(
        {printable(study.baseline), std::to_string(verdict.baseline.size()), spreadText(verdict.baseline), "", "", "baseline"});
    for (const RowVerdict& row : verdict.rows) {
        const SeedDifference& difference = row.difference;
        const bool isThere = difference.n > 0 && difference.nBaseline > 0;
        table.add({cut(printable(row.name), 32), countsText(difference),
                   isThere ? signedNumberText(difference.difference) : "–",
                   difference.interval && row.isLookedAt ? intervalText(*difference.interval) : "–",
                   row.correctedP && row.isLookedAt ? pText(*row.correctedP) : "–", rowWords(study, verdict, row)});
    }
    return table.right({1}).text();
}

/// The smallest differences that a number of seeds can show.
struct DetectableSize {
    std::size_t seeds;
    std::optional<double> welch;   ///< without pairs
    std::optional<double> paired;  ///< in pairs whose values correlate by 0.5: then a difference scatters as one value does
};

std::vector<DetectableSize> detectableSizes(const Study& study, const SeedScatter& by) {
    std::vector<DetectableSize> sizes;
    const auto smallest = [&](SeedTest test, std::size_t n) {
        return smallestDetectable(test, by.deviation, n, study.level() / study.family(), study.power);
    };
    for (const std::size_t n : {3, 4, 5, 6, 8, 10, 15, 20})
        sizes.push_back({n, smallest(SeedTest::Welch, n), smallest(SeedTest::Paired, n)});
    return sizes;
}

}  // namespace

Json verdictDocument(const Study& study, const StudyVerdict& verdict) {
    Json rows = Json::array(), baseline = Json::object();
    for (const RowVerdict& row : verdict.rows) {
        rows.push_back(rowDocument(study, row, verdict.level / study.family()));
        if (const auto items = verdict.items.find(row.name); items != verdict.items.end())
            rows.back()["items"] = rowItemsDocument(items->second);
    }
    for (const auto& [seed, value] : verdict.baseline) baseline[std::to_string(seed)] = value;
    Json document{
        {"schema", "heddle.verdict/1"},
        {"study", study.toJson()},
        {"level", verdict.level},
        {"comparisons", verdict.comparisons},
        {"baseline", {{"name", study.baseline}, {"values", baseline}, {"left_out", leftOutDocument(verdict.baselineLeftOut)}}},
        {"rows", std::move(rows)},
        {"next_seeds", verdict.nextSeeds},
        {"claim", study.claim ? Json(claimIn(study, verdict)) : Json()}};
    document.update(toldDocument(study, verdict));
    return document;
}

std::string verdictText(const Study& study, const StudyVerdict& verdict) {
    const bool isShort = verdict.rows.size() <= kMostLines;
    StudyVerdict toTell = verdict;
    if (isShort)  // their lines say how large they are
        std::erase_if(toTell.controls, [](const ControlSize& control) { return control.match != ControlMatch::Time; });
    std::string told;
    for (const std::string& words : toldWords(study, toTell)) told += printable(words) + "\n";
    return questionLine(study) + (isShort ? verdictLines(study, verdict) : verdictTable(study, verdict)) +
           leftOutText(study, verdict) + told + testWords(study, verdict) + " " + coverWords(study) + "\n" +
           rowItemsText(study, verdict);
}

std::optional<SeedScatter> scatterOf(const SeedValues& baseline) {
    if (baseline.size() < kFewestOwn) return {};
    return SeedScatter{*spreadOf(valuesOf(baseline)).deviation, baseline.size(), 0};
}

SeedScatter scatterOf(const NoiseFloor& earlier) { return {earlier.deviation, earlier.runs, earlier.groups}; }

std::string detectableText(const Study& study, const SeedScatter& by) {
    const std::string whose =
        by.earlierGroups == 0
            ? fmt::format("The baseline's {} seeds scatter by {} (which so few tell roughly).", by.runs,
                          numberText(by.deviation))
            : fmt::format(
                  "The baseline has fewer than {} seeds. {} earlier runs of this task in {} group{} scatter by {} over "
                  "their seeds; another model or budget may scatter otherwise.",
                  kFewestOwn, by.runs, by.earlierGroups, by.earlierGroups == 1 ? "" : "s", numberText(by.deviation));
    Table table({"seeds", "without pairs", "in pairs, seeds correlated by 0.5"});
    const auto cell = [](const std::optional<double>& smallest) { return smallest ? numberText(*smallest) : "–"; };
    for (const auto& [n, welch, paired] : detectableSizes(study, by)) table.add({std::to_string(n), cell(welch), cell(paired)});
    return fmt::format("{} At the level {:.4f} of this study so many seeds show, in {:g} % of such studies:\n", whose,
                       study.level() / study.family(), 100 * study.power) +
           table.right({0, 1, 2}).text();
}

Json detectableDocument(const Study& study, const SeedScatter& by) {
    Json sizes = Json::array();
    for (const auto& [n, welch, paired] : detectableSizes(study, by))
        sizes.push_back({{"seeds", n}, {"welch", optional(welch)}, {"paired", optional(paired)}});
    return {{"deviation", by.deviation},
            {"runs", by.runs},
            {"earlier_groups", by.earlierGroups},
            {"level", study.level() / study.family()},
            {"power", study.power},
            {"sizes", std::move(sizes)}};
}

}  // namespace heddle::app
