// SPDX-License-Identifier: Apache-2.0
#include "app/study/verdict_words.h"

#include "engine/analysis/spread.h"
#include "engine/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::app {
namespace {

/// ", of the runs that ended (2 failed)" where runs of the row or of the baseline failed.
std::string failedWords(const StudyVerdict& verdict, const RowVerdict& row) {
    std::size_t failed = 0;
    for (const auto* runs : {&row.leftOut, &verdict.baselineLeftOut})
        failed += std::size_t(std::count_if(runs->begin(), runs->end(), [](const LeftOutRun& run) { return run.hasFailed; }));
    return failed == 0 ? "" : fmt::format(", of the runs that ended ({} failed)", failed);
}

/// Of a row that may be looked at and shows no difference.
std::string notShownWords(const Study& study, const RowVerdict& row, double level) {
    if (!row.difference.p) return row.difference.whyNone;
    std::string words = nameOf(row.verdict);
    if (const auto smallest = smallestShown(row.difference, level, study.power))
        words += fmt::format(" ({} seeds would show {} or more in {:g} % of such studies)", row.difference.n,
                             numberText(*smallest), 100 * study.power);
    if (row.decision == Decision::Open) words += "; more seeds may decide";
    if (row.decision == Decision::Hopeless) words += "; given up: more seeds would hardly show what matters";
    return words;
}

/// "−0.0903 [−0.1500, −0.0306], p 0.0123, 6 pairs, ρ 0.87"; empty where the row is not looked at or has no runs in both.
std::string numbersOf(const Study& study, const RowVerdict& row) {
    const SeedDifference& difference = row.difference;
    if (!row.isLookedAt || difference.n == 0 || difference.nBaseline == 0) return "";
    std::string text = signedNumberText(difference.difference);
    if (difference.interval) text += " " + intervalText(*difference.interval);
    if (row.correctedP) text += ", p " + pText(*row.correctedP);
    text += ", " + countsText(difference) + (study.test == SeedTest::Paired ? " pairs" : " runs");
    return difference.correlation ? text + fmt::format(", ρ {:.2f}", *difference.correlation) : text;
}

}  // namespace

std::string pText(double p) { return p < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", p); }

std::string intervalText(const Interval& interval) {
    return fmt::format("[{}, {}]", signedNumberText(interval.low), signedNumberText(interval.high));
}

std::string spreadText(const SeedValues& seeds) {
    if (seeds.empty()) return "–";
    std::vector<double> values;
    for (const auto& [seed, value] : seeds) values.push_back(value);
    const Spread spread = spreadOf(values);
    return fmt::format("{}{} ({})", numberText(spread.mean), spread.deviation ? " ± " + numberText(*spread.deviation) : "",
                       spread.n);
}

std::string countsText(const SeedDifference& difference) {
    return difference.n == difference.nBaseline ? std::to_string(difference.n)
                                                : fmt::format("{} and {}", difference.n, difference.nBaseline);
}

double confidenceOf(const Study& study) { return 100 * (1 - study.alpha); }

std::string metricWords(const Study& study) {
    return fmt::format("{} {}, {}; {} is better", study.metric.split, study.metric.name, study.metric.rule.text(),
                       study.metric.lowerIsBetter ? "lower" : "higher");
}

std::string testWords(const Study& study, const StudyVerdict& verdict) {
    std::string text = fmt::format(
        "{} with {:g} % intervals{}",
        study.test == SeedTest::Paired ? "Paired t test over seeds (ρ: correlation in pairs)" : "Welch's t test over seeds",
        confidenceOf(study), study.holm && verdict.comparisons > 1 ? " that hold together" : "");
    if (const auto* const looks = std::get_if<Looks>(&study.seeds))
        text +=
            fmt::format(", after {} to {} of them, each time at the level {:.4f}", looks->first, looks->last, verdict.level);
    if (verdict.comparisons > 1)
        text += study.holm ? fmt::format(", p of {} comparisons by Holm", verdict.comparisons)
                           : fmt::format(", not corrected for {} comparisons", verdict.comparisons);
    return text + ".";
}

std::string intervalWords(const Study& study, const StudyVerdict& verdict) {
    if (study.holm && verdict.comparisons > 1)
        return fmt::format(
            "All intervals together hold in {:g} % of such studies; Holm's p may show a difference whose wider "
            "interval contains 0.",
            confidenceOf(study));
    if (std::holds_alternative<Looks>(study.seeds))
        return fmt::format("An interval holds over all its looks in {:g} % of such studies.", confidenceOf(study));
    return "";
}

std::string coverWords(const Study& study) {
    const std::string words = "This covers other seeds of these experiments, not other data and not other test items";
    return study.tuning ? words + "." : words + "; one learning rate each, not tuned.";
}

std::string verdictWord(const Study& study, const StudyVerdict& verdict, const RowVerdict& row) {
    if (!row.isLookedAt) return "open";
    return nameOf(row.verdict) +
           (row.verdict == Verdict::Equivalent ? fmt::format(" within ± {}", numberText(*study.margin)) : "") +
           failedWords(verdict, row);
}

std::string rowWords(const Study& study, const StudyVerdict& verdict, const RowVerdict& row) {
    const auto* const looks = std::get_if<Looks>(&study.seeds);
    if (!row.isLookedAt)
        return fmt::format("open until seed {} is there",
                           study.allSeeds()[(looks ? looks->first : study.allSeeds().size()) - 1]);
    if (row.verdict == Verdict::Equivalent)
        return fmt::format("equivalent within ± {} (two one-sided tests, p {}){}", numberText(*study.margin),
                           pText(*row.equivalenceP), failedWords(verdict, row));
    const bool isEquivalent = row.equivalenceP && *row.equivalenceP < verdict.level;
    if (row.verdict != Verdict::NotShown)
        return nameOf(row.verdict) + (isEquivalent ? fmt::format(", but within ± {}", numberText(*study.margin)) : "") +
               failedWords(verdict, row);
    return notShownWords(study, row, verdict.level / study.family());
}

std::string rowSentence(const Study& study, const StudyVerdict& verdict, const RowVerdict& row) {
    const std::string numbers = numbersOf(study, row);
    return rowWords(study, verdict, row) + (numbers.empty() ? "" : ": " + numbers);
}

std::string pairWords(const RowVerdict& row) {
    const SeedDifference& difference = row.difference;
    if (!difference.correlation || !row.isLookedAt) return "";
    std::string words = fmt::format("its seeds correlate with the baseline's by {:.2f}", *difference.correlation);
    if (difference.signFlip)
        words += fmt::format("; exact sign flips, for one look at one variant: p {:.2g}, at least {:.2g} with so many pairs",
                             difference.signFlip->p, difference.signFlip->least);
    return words;
}

std::string itemsWords(const StudyVerdict& verdict, const RowVerdict& row) {
    const auto found = verdict.items.find(row.name);
    if (found == verdict.items.end()) return "not computed: no run was read";
    const TwoLevelDifference& items = found->second;
    if (!items.interval) return "not computed: " + items.whyNone;
    const char* const runs = items.test == SeedTest::Paired ? "pairs" : "runs";
    const std::string counts =
        items.n == items.nBaseline ? std::to_string(items.n) : fmt::format("{} and {}", items.n, items.nBaseline);
    return fmt::format("{} {}, p {}, {} {}, {} items", signedNumberText(items.difference), intervalText(*items.interval),
                       pText(*items.p), counts, runs, items.items);
}

std::string itemsTestWords(const Study& study, const StudyVerdict& verdict) {
    if (study.outputs.empty())
        return "Over seeds and test items together: not computed: the study names no folder with the outputs of its runs "
               "(\"outputs\").";
    if (verdict.items.empty()) return "";
    if (std::none_of(verdict.items.begin(), verdict.items.end(), [](const auto& one) { return one.second.interval; }))
        return fmt::format("Over seeds and test items together: not computed: {}.", verdict.items.begin()->second.whyNone);
    return fmt::format(
        "Over seeds and test items together: analysis of variance of seeds × items of the jackknife's values{} (Dorfman, "
        "Berbaum "
        "and Metz 1992; degrees of freedom of Hillis 2007). It covers other seeds and other test items of the same kind, not "
        "other data to train on and not items of another kind; its p is of one comparison, and it does not decide.",
        study.test == SeedTest::Paired ? " of the differences of pairs" : "");
}

std::vector<std::string> leftOutWords(const Study& study, const StudyVerdict& verdict) {
    std::vector<std::string> words;
    const auto add = [&words](const std::string& row, const std::vector<LeftOutRun>& runs) {
        for (const LeftOutRun& run : runs) words.push_back(fmt::format("{}, seed {}: {}", row, run.seed, run.why));
    };
    add(study.baseline, verdict.baselineLeftOut);
    for (const RowVerdict& row : verdict.rows) add(row.name, row.leftOut);
    return words;
}

}  // namespace heddle::app
