// SPDX-License-Identifier: Apache-2.0
#include "app/study/verdict_notes.h"

#include "app/study/verdict_words.h"
#include "engine/base/number_text.h"

#include <fmt/format.h>

namespace heddle::app {
namespace {

bool isPaired(const Study& study) { return study.test == SeedTest::Paired; }

/// "over 6 pairs of runs with equal seeds", "over 6 and 5 runs".
std::string overRuns(const Study& study, const SeedDifference& difference) {
    return isPaired(study) ? fmt::format("over {} pairs of runs with equal seeds", difference.n)
                           : fmt::format("over {} runs and {} of the baseline", difference.n, difference.nBaseline);
}

std::string correctionWords(const Study& study, const StudyVerdict& verdict) {
    if (verdict.comparisons < 2) return "one comparison, no correction";
    return study.holm ? fmt::format("corrected by Holm for {} comparisons", verdict.comparisons)
                      : fmt::format("not corrected for {} comparisons", verdict.comparisons);
}

/// What the interval's level is of.
std::string levelWords(const Study& study, const StudyVerdict& verdict) {
    std::string words = fmt::format("{:g} %", confidenceOf(study));
    if (study.holm && verdict.comparisons > 1)
        words += fmt::format(" for all {} variants together (Bonferroni)", verdict.comparisons);
    if (std::holds_alternative<Looks>(study.seeds)) words += ", over all looks";
    return words;
}

}  // namespace

std::string assumptionWords(const Study& study) {
    return isPaired(study)
               ? "It assumes that the differences of pairs are independent and about normally distributed, which so "
                 "few seeds cannot show."
               : "It assumes that runs are independent and about normally distributed, which so few seeds cannot "
                 "show; the two may scatter differently.";
}

std::string spreadNote(const Study& study) {
    return fmt::format(
        "Mean ± standard deviation (n − 1) of {} {} over seeds, each run's value by the rule \"{}\"; in brackets "
        "the number of runs. The deviation is that of a run, not that of the mean.",
        study.metric.split, study.metric.name, study.metric.rule.text());
}

namespace {

std::string ranksNote(const Study& study, const RankDifference& ranks) {
    return fmt::format(
        "{} {}; exact two-sided p {:.2g}, at least {:.2g} with so many runs, by {}. For one look at one variant, not "
        "corrected; "
        "it does not decide.",
        isPaired(study) ? "Median of the differences of pairs:" : "Difference of the medians:",
        ranks.median ? signedNumberText(*ranks.median) : "none", *ranks.p, ranks.least,
        isPaired(study) ? "Wilcoxon's signed ranks (1945)" : "the rank sum of Mann and Whitney (1947)");
}

}  // namespace

NumberNotes numberNotes(const Study& study, const StudyVerdict& verdict, const RowVerdict& row) {
    NumberNotes notes;
    notes.value = spreadNote(study);
    const SeedDifference& difference = row.difference;
    if (!row.isLookedAt || difference.n == 0 || difference.nBaseline == 0) return notes;
    notes.difference = fmt::format("Mean of {} less mean of {} {}.", row.name, study.baseline, overRuns(study, difference));
    const std::string test =
        isPaired(study) ? "Student's t of the differences of pairs" : "Welch's t with Satterthwaite's degrees of freedom";
    if (difference.interval)
        notes.interval = fmt::format("By {} ({:.3g} degrees of freedom, standard error {}), {}. {}", test, difference.freedom,
                                     numberText(difference.error), levelWords(study, verdict), assumptionWords(study));
    if (row.correctedP)
        notes.p =
            fmt::format("Two-sided p of \"there is no difference\" by {} {}; {}; compared with {:.4f}. {}", test,
                        overRuns(study, difference), correctionWords(study, verdict), verdict.level, assumptionWords(study));
    if (row.equivalenceP)
        notes.equivalence = fmt::format(
            "The larger p of two one-sided t tests (Schuirmann 1987) of \"the difference is ± {} or more\", a margin that the "
            "study named beforehand; {}.",
            numberText(*study.margin), correctionWords(study, verdict));
    if (difference.correlation) {
        notes.correlation = fmt::format("Pearson's correlation of the values of {} pairs.", difference.n);
        if (const auto least = pairingPaysAbove(difference.n, verdict.level / study.family(), study.power))
            notes.correlation += fmt::format(" So many pairs pay only where it is above {:.2f}.", *least);
    }
    if (difference.signFlip)
        notes.signFlip = fmt::format(
            "Exact two-sided test that flips the signs of the {} differences (Fisher 1935), for one look at one variant, not "
            "corrected. It assumes only that a difference and its opposite are equally likely where there is none; so many "
            "pairs "
            "cannot give a p below {:.2g}.",
            difference.n, difference.signFlip->least);
    if (row.ranks && row.ranks->p) notes.ranks = ranksNote(study, *row.ranks);
    if (smallestShown(difference, verdict.level / study.family(), study.power))
        notes.smallest = fmt::format("The smallest true difference that {} with this scatter show in {:g} % of such studies.",
                                     isPaired(study) ? "so many pairs" : "so many runs", 100 * study.power);
    if (const auto items = verdict.items.find(row.name); items != verdict.items.end())
        notes.items = itemsWords(verdict, row) + "." +
                      (items->second.interval ? fmt::format(" The interval has the level {}. {}", levelWords(study, verdict),
                                                            itemsTestWords(study, verdict))
                                              : "");
    return notes;
}

}  // namespace heddle::app
