// SPDX-License-Identifier: Apache-2.0
// A study: a question to variants, as a file, asked before the answer is known. It says what is trained (a plan), which value
// of which metric counts, which test is made, and when there are enough seeds; verdictOf() answers from the values of the runs.
#pragma once

#include "engine/analysis/sequential.h"
#include "engine/spec/plan.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// Which of a run's evaluations is its value. Chosen before the runs are looked at: the best of many evaluations is lower than
/// what the model would give on new data, the last one is not.
struct ValueRule {
    enum class Kind { Best, Last, AtStep, MeanOfLast };
    Kind kind = Kind::Last;
    std::int64_t number = 0;  ///< AtStep: the step; MeanOfLast: how many evaluations
    bool operator==(const ValueRule&) const = default;

    /// "best", "last", "step 4000", "mean of last 3".
    std::string text() const;
    /// Throws Error(InvalidInput).
    static ValueRule parse(const std::string& text, const std::string& where);
};

/// A value at a step.
struct Evaluated {
    std::int64_t step = 0;
    double value = 0;
};

/// The value of a run whose evaluations of one metric and split are `all`, ascending in step; nothing where the rule finds
/// none (no evaluation at that step, fewer than so many).
std::optional<double> valueBy(const ValueRule& rule, const std::vector<Evaluated>& all, bool lowerIsBetter);

struct StudyMetric {
    std::string split = "valid", name = "loss";
    ValueRule rule;
    bool lowerIsBetter = true;
    bool operator==(const StudyMetric&) const = default;
};

/// What the study claims: that a variant is better, worse or equivalent.
struct Claim {
    std::string variant;
    Verdict verdict = Verdict::Better;
    bool operator==(const Claim&) const = default;
};

struct Study {
    std::string question;
    std::vector<PlanRow> rows;  ///< the variants; their seeds are the study's
    std::string baseline;       ///< the name of one of them
    StudyMetric metric;
    SeedTest test = SeedTest::Paired;
    double alpha = 0.05, power = 0.8;
    bool holm = true;              ///< p values are corrected for the number of variants (Holm)
    std::optional<double> margin;  ///< differences within ± margin are as good as none
    /// Fixed seeds; or seeds 1, 2, 3 … until all is decided, looked at after each from the first look to the last.
    std::variant<std::vector<std::uint64_t>, Looks> seeds = Looks{};
    std::optional<Claim> claim;
    bool operator==(const Study&) const = default;

    /// {"schema":"heddle.study/1",…}
    Json toJson() const;
    /// Throws Error(InvalidInput) naming `where` and what is wrong.
    static Study parse(const Json& document, const std::string& where);

    /// The seeds that the study trains at most.
    std::vector<std::uint64_t> allSeeds() const;
    /// The number of comparisons that p values and intervals are corrected for: 1 without Holm.
    double family() const { return holm ? double(rows.size()) - 1 : 1; }
    /// What corrected p values are compared with: `alpha`; of a study that is looked at again and again the level of a single
    /// look, so small that all looks at all variants together keep `alpha`.
    double level() const;
};

/// A run that the plan has and the verdict does not use.
struct LeftOutRun {
    std::uint64_t seed = 0;
    std::string why;         ///< "has no evaluation at step 4000"
    bool hasFailed = false;  ///< perhaps because it diverged: what is left may look better than the variant is
    bool operator==(const LeftOutRun&) const = default;
};

/// What is known of a row of the study.
struct StudyValues {
    SeedValues values;
    std::vector<LeftOutRun> leftOut;
};

/// Whether more seeds are asked for.
enum class Decision {
    Open,     ///< more seeds may decide
    Shown,    ///< by a test
    Over,     ///< all seeds are there and nothing is shown, or all pairs are equal
    Hopeless  ///< the rest of the seeds would show a difference as large as the margin, or equivalence, each with a probability
              ///< below kHopeless
};
inline constexpr double kHopeless = 0.1;

/// The answer about one variant.
struct RowVerdict {
    std::string name;
    SeedDifference difference;           ///< against the baseline; its interval is simultaneous for the family (Bonferroni)
    bool isLookedAt = false;             ///< all seeds of the look are there: earlier, no number says anything
    std::optional<double> correctedP;    ///< for the family
    std::optional<double> equivalenceP;  ///< of both one-sided tests, corrected for the family; where the study has a margin
    Verdict verdict = Verdict::NotShown;
    Decision decision = Decision::Open;
    std::vector<LeftOutRun> leftOut;
    std::size_t seen = 0;             ///< seeds, from the first on, that this row and the baseline both have
    std::vector<std::uint64_t> next;  ///< seeds that decide next; empty unless it is open
};

struct StudyVerdict {
    double level = 0;             ///< Study::level()
    std::size_t comparisons = 0;  ///< variants beside the baseline
    SeedValues baseline;
    std::vector<LeftOutRun> baselineLeftOut;
    std::vector<RowVerdict> rows;  ///< without the baseline, in the study's order
    /// Seeds to train next, of every row that is still open and of the baseline; none where all is decided.
    std::vector<std::uint64_t> nextSeeds;
};

/// `values` by the name of the row; a row without values is open, and so is one of a study with fixed seeds till all of them
/// are there: whoever decides earlier peeks. Seeds are taken in their order: what came out of turn waits.
StudyVerdict verdictOf(const Study& study, const std::map<std::string, StudyValues>& values);

/// Whether the claim is shown (1), its opposite is (−1), or neither (0). Of a study without a claim 0, and where runs that
/// failed are left out: they may have failed where they would have been bad. The opposite of better is worse; that of
/// equivalent is a difference whose interval lies beyond the margin.
int claimIn(const Study& study, const StudyVerdict& verdict);

}  // namespace heddle
