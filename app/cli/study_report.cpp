// SPDX-License-Identifier: Apache-2.0
#include "app/cli/study_report.h"

#include "app/cli/terminal.h"
#include "engine/analysis/spread.h"
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
    for (const LeftOutRun& run : runs) all.push_back({{"seed", run.seed}, {"why", run.why}});
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

Json rowDocument(const RowVerdict& row) {
    const SeedDifference& difference = row.difference;
    Json document{{"name", row.name},
                  {"verdict", nameOf(row.verdict)},
                  {"decision", wordOf(row.decision)},
                  {"difference", difference.whyNone.empty() ? Json(difference.difference) : Json()},
                  {"n", difference.n},
                  {"n_baseline", difference.nBaseline},
                  {"interval", intervalDocument(difference.interval)},
                  {"error", difference.error},
                  {"freedom", difference.freedom},
                  {"p", optional(difference.p)},
                  {"p_corrected", optional(row.correctedP)},
                  {"p_equivalence", optional(row.equivalenceP)},
                  {"seed_correlation", optional(difference.correlation)},
                  {"smallest_detectable", optional(row.smallest)},
                  {"left_out", leftOutDocument(row.leftOut)},
                  {"seeds_without_partner", difference.alone}};
    if (difference.signFlip) document["sign_flip"] = {{"p", difference.signFlip->p}, {"least", difference.signFlip->least}};
    if (!difference.whyNone.empty()) document["why_none"] = difference.whyNone;
    return document;
}

std::string signedText(double value) { return (value < 0 ? "−" : "+") + numberText(std::abs(value)); }

std::string pText(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

std::string spreadText(const SeedValues& seeds) {
    if (seeds.empty()) return "–";
    const Spread spread = spreadOf(valuesOf(seeds));
    return fmt::format("{}{} ({})", numberText(spread.mean), spread.deviation ? " ± " + numberText(*spread.deviation) : "",
                       spread.n);
}

/// The variant's own mean is the baseline's plus the difference, over the runs that the test uses.
std::string rowWords(const Study& study, const RowVerdict& row) {
    if (row.verdict == Verdict::Equivalent) return fmt::format("equivalent within ± {}", numberText(*study.margin));
    if (row.verdict != Verdict::NotShown) return nameOf(row.verdict);
    if (!row.difference.p) return row.difference.whyNone;
    if (const std::size_t all = study.allSeeds().size(); row.decision == Decision::Open && study.seeds.index() == 0)
        return fmt::format("open until all {} seeds are there", all);
    std::string words = nameOf(row.verdict);
    if (row.smallest) words += fmt::format(" ({} seeds show {} or more)", row.difference.n, numberText(*row.smallest));
    if (row.decision == Decision::Open) words += "; more seeds may decide";
    if (row.decision == Decision::Hopeless) words += "; given up: more seeds would hardly show what matters";
    return words;
}

std::string questionText(const Study& study, const StudyVerdict& verdict) {
    std::string text = study.question.empty() ? "" : printable(study.question) + "\n";
    text += fmt::format("{} {}, {}; {} is better. {} over seeds", study.metric.split, study.metric.name,
                        study.metric.rule.text(), study.metric.lowerIsBetter ? "lower" : "higher",
                        study.test == SeedTest::Paired ? "Paired t test" : "Welch's t test");
    const auto* const looks = std::get_if<Looks>(&study.seeds);
    if (looks)
        text +=
            fmt::format(", after {} to {} of them, each time at the level {:.4f}", looks->first, looks->last, verdict.level);
    if (verdict.comparisons > 1)
        text += study.holm ? fmt::format(", p of {} comparisons by Holm", verdict.comparisons)
                           : fmt::format(", not corrected for {} comparisons", verdict.comparisons);
    text += fmt::format(". The {:g} % intervals hold", 100 * (1 - study.alpha));
    if (looks || (study.holm && verdict.comparisons > 1)) text += " together";
    return text + ".\n";
}

void addLeftOut(std::string& text, const std::string& row, const std::vector<LeftOutRun>& runs) {
    for (const LeftOutRun& run : runs)
        text += fmt::format("left out: {}, seed {}: {}\n", printable(row), run.seed, printable(run.why));
}

}  // namespace

Json verdictDocument(const Study& study, const StudyVerdict& verdict) {
    Json rows = Json::array(), baseline = Json::object();
    for (const RowVerdict& row : verdict.rows) rows.push_back(rowDocument(row));
    for (const auto& [seed, value] : verdict.baseline) baseline[std::to_string(seed)] = value;
    return {
        {"schema", "heddle.verdict/1"},
        {"study", study.toJson()},
        {"level", verdict.level},
        {"comparisons", verdict.comparisons},
        {"baseline", {{"name", study.baseline}, {"values", baseline}, {"left_out", leftOutDocument(verdict.baselineLeftOut)}}},
        {"rows", std::move(rows)},
        {"next_seeds", verdict.nextSeeds},
        {"claim", study.claim ? Json(claimIn(study, verdict)) : Json()}};
}

std::string verdictText(const Study& study, const StudyVerdict& verdict) {
    Table table({"", "n", "difference", fmt::format("{:g} % interval", 100 * (1 - study.alpha)), "p", "verdict"});
    table.add(
        {printable(study.baseline), std::to_string(verdict.baseline.size()), spreadText(verdict.baseline), "", "", "baseline"});
    std::string notes;
    addLeftOut(notes, study.baseline, verdict.baselineLeftOut);
    for (const RowVerdict& row : verdict.rows) {
        const SeedDifference& difference = row.difference;
        const bool isThere = difference.n > 0 && difference.nBaseline > 0;
        table.add({cut(printable(row.name), 32), std::to_string(difference.n),
                   isThere ? signedText(difference.difference) : "–",
                   difference.interval
                       ? fmt::format("[{}, {}]", signedText(difference.interval->low), signedText(difference.interval->high))
                       : "–",
                   row.correctedP ? pText(*row.correctedP) : "–", rowWords(study, row)});
        addLeftOut(notes, row.name, row.leftOut);
        if (difference.correlation)
            notes += fmt::format(
                "{}: seeds correlate by {:.2f} with the baseline's{}\n", printable(row.name), *difference.correlation,
                difference.signFlip ? fmt::format("; exact sign flips: p {} (at least {} with so many pairs)",
                                                  pText(difference.signFlip->p), pText(difference.signFlip->least))
                                    : "");
    }
    return questionText(study, verdict) + table.right({1}).text() + notes +
           "This covers other seeds of these experiments, not other data and not other test items.\n";
}

std::string detectableText(const Study& study, const SeedValues& baseline) {
    if (baseline.size() < 3) return "";
    const double deviation = *spreadOf(valuesOf(baseline)).deviation;
    std::string text = fmt::format("The baseline's {} seeds scatter by {}. With a power of {:g} % so many seeds show:\n",
                                   baseline.size(), numberText(deviation), 100 * study.power);
    Table table({"seeds", "without pairs", "in pairs, seeds correlated by 0.5"});
    for (const std::size_t n : {3, 4, 5, 6, 8, 10, 15, 20})
        table.add({std::to_string(n), numberText(*smallestDetectable(SeedTest::Welch, deviation, n, study.alpha, study.power)),
                   numberText(*smallestDetectable(SeedTest::Paired, deviation, n, study.alpha, study.power))});
    return text + table.right({0, 1, 2}).text();
}

}  // namespace heddle::app
