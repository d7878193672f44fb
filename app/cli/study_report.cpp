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
    if (!difference.whyNone.empty()) document["why_none"] = difference.whyNone;
    return document;
}

std::string signedText(double value) { return (value < 0 ? "−" : "+") + numberText(std::abs(value)); }

std::string pText(double p) { return p < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", p); }

std::string spreadText(const SeedValues& seeds) {
    if (seeds.empty()) return "–";
    const Spread spread = spreadOf(valuesOf(seeds));
    return fmt::format("{}{} ({})", numberText(spread.mean), spread.deviation ? " ± " + numberText(*spread.deviation) : "",
                       spread.n);
}

/// "of the runs that ended (2 of 6 did not)", where runs of the row or the baseline failed.
std::string failedText(const RowVerdict& row, const StudyVerdict& verdict) {
    std::size_t failed = 0;
    for (const auto* runs : {&row.leftOut, &verdict.baselineLeftOut})
        failed += std::size_t(std::count_if(runs->begin(), runs->end(), [](const LeftOutRun& run) { return run.hasFailed; }));
    return failed == 0 ? "" : fmt::format(", of the runs that ended ({} failed)", failed);
}

/// What is said of a row that may be looked at and shows no difference.
std::string notShownText(const Study& study, const RowVerdict& row, double level) {
    if (!row.difference.p) return row.difference.whyNone;
    std::string words = nameOf(row.verdict);
    if (const auto smallest = smallestShown(row.difference, level, study.power))
        words += fmt::format(" ({} seeds would show {} or more in {:g} % of such studies)", row.difference.n,
                             numberText(*smallest), 100 * study.power);
    if (row.decision == Decision::Open) words += "; more seeds may decide";
    if (row.decision == Decision::Hopeless) words += "; given up: more seeds would hardly show what matters";
    return words;
}

std::string rowWords(const Study& study, const RowVerdict& row, const StudyVerdict& verdict) {
    const auto* const looks = std::get_if<Looks>(&study.seeds);
    if (!row.isLookedAt)
        return fmt::format("open until seed {} is there",
                           study.allSeeds()[(looks ? looks->first : study.allSeeds().size()) - 1]);
    const bool isEquivalent = row.equivalenceP && *row.equivalenceP < verdict.level;
    if (row.verdict == Verdict::Equivalent)
        return fmt::format("equivalent within ± {} (two one-sided tests, p {}){}", numberText(*study.margin),
                           pText(*row.equivalenceP), failedText(row, verdict));
    if (row.verdict != Verdict::NotShown)
        return nameOf(row.verdict) + (isEquivalent ? fmt::format(", but within ± {}", numberText(*study.margin)) : "") +
               failedText(row, verdict);
    return notShownText(study, row, verdict.level / study.family());
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
    text += ".\n";
    if (study.holm && verdict.comparisons > 1)
        text += fmt::format(
            "All intervals together hold in {:g} % of such studies; Holm's p may show a difference whose wider interval "
            "contains 0.\n",
            100 * (1 - study.alpha));
    else if (looks)
        text += fmt::format("An interval holds over all its looks in {:g} % of such studies.\n", 100 * (1 - study.alpha));
    return text;
}

void addLeftOut(std::string& text, const std::string& row, const std::vector<LeftOutRun>& runs) {
    for (const LeftOutRun& run : runs)
        text += fmt::format("left out: {}, seed {}: {}\n", printable(row), run.seed, printable(run.why));
}

}  // namespace

Json verdictDocument(const Study& study, const StudyVerdict& verdict) {
    Json rows = Json::array(), baseline = Json::object();
    for (const RowVerdict& row : verdict.rows) rows.push_back(rowDocument(study, row, verdict.level / study.family()));
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
    Table table({"", "n", "difference", "interval", "p", "verdict"});
    table.add(
        {printable(study.baseline), std::to_string(verdict.baseline.size()), spreadText(verdict.baseline), "", "", "baseline"});
    std::string notes;
    addLeftOut(notes, study.baseline, verdict.baselineLeftOut);
    for (const RowVerdict& row : verdict.rows) {
        const SeedDifference& difference = row.difference;
        const bool isThere = difference.n > 0 && difference.nBaseline > 0;
        const auto& interval = difference.interval;
        const std::string n = difference.n == difference.nBaseline
                                  ? std::to_string(difference.n)
                                  : fmt::format("{} and {}", difference.n, difference.nBaseline);
        table.add(
            {cut(printable(row.name), 32), n, isThere ? signedText(difference.difference) : "–",
             interval && row.isLookedAt ? fmt::format("[{}, {}]", signedText(interval->low), signedText(interval->high)) : "–",
             row.correctedP && row.isLookedAt ? pText(*row.correctedP) : "–", rowWords(study, row, verdict)});
        addLeftOut(notes, row.name, row.leftOut);
        if (!difference.correlation || !row.isLookedAt) continue;
        notes +=
            fmt::format("{}: its seeds correlate with the baseline's by {:.2f}", printable(row.name), *difference.correlation);
        if (difference.signFlip)
            notes +=
                fmt::format("; exact sign flips, for one look at one variant: p {:.2g}, at least {:.2g} with so many pairs",
                            difference.signFlip->p, difference.signFlip->least);
        notes += "\n";
    }
    return questionText(study, verdict) + table.right({1}).text() + notes +
           "This covers other seeds of these experiments, not other data and not other test items.\n";
}

std::string detectableText(const Study& study, const SeedValues& baseline) {
    if (baseline.size() < 3) return "";
    const double deviation = *spreadOf(valuesOf(baseline)).deviation;
    const double level = study.level() / study.family();
    std::string text = fmt::format(
        "The baseline's {} seeds scatter by {} (which so few tell roughly). At the level {:.4f} of this study so many seeds "
        "show, in {:g} % "
        "of such studies:\n",
        baseline.size(), numberText(deviation), level, 100 * study.power);
    Table table({"seeds", "without pairs", "in pairs, seeds correlated by 0.5"});
    const auto shown = [&](SeedTest test, std::size_t n) {
        const auto smallest = smallestDetectable(test, deviation, n, level, study.power);
        return smallest ? numberText(*smallest) : "–";
    };
    for (const std::size_t n : {3, 4, 5, 6, 8, 10, 15, 20})
        table.add({std::to_string(n), shown(SeedTest::Welch, n), shown(SeedTest::Paired, n)});
    return text + table.right({0, 1, 2}).text();
}

}  // namespace heddle::app
