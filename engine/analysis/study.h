// SPDX-License-Identifier: Apache-2.0
// A study: a question to variants, as a file, asked before the answer is known. It says what is trained (a plan), which value
// of which metric counts, which test is made, and when there are enough seeds; verdictOf() answers from the values of the runs.
#pragma once

#include "engine/analysis/rank_difference.h"
#include "engine/analysis/sequential.h"
#include "engine/analysis/study_metric.h"
#include "engine/analysis/study_tuning.h"
#include "engine/analysis/two_level.h"
#include "engine/spec/plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// What the study claims: that a variant is better, worse or equivalent.
struct Claim {
    std::string variant;
    Verdict verdict = Verdict::Better;
    bool operator==(const Claim&) const = default;
};

/// The runs of a row that is not trained: they exist, made by other commands or imported.
struct ExistingRuns {
    enum class By { Group, Tag, Ids };
    By by = By::Group;
    std::vector<std::string> names;  ///< one group, one tag, or the ids of runs
    bool operator==(const ExistingRuns&) const = default;
};

/// What a control has in common with its variant. Flops: of a token, forward. Time: of training.
enum class ControlMatch { Parameters, Flops, Time };
/// "parameters", "flops", "time".
std::string nameOf(ControlMatch match);

/// A row that the study makes itself: the baseline, its feed-forward width such that it is as large as a variant, or its number
/// of steps such that it trains as long. What a variant has over its matched control is not due to its size, or its time.
struct StudyControl {
    std::string of;  ///< the variant
    ControlMatch match = ControlMatch::Parameters;
    bool operator==(const StudyControl&) const = default;
};

struct Study {
    std::string question;
    /// The variants, and after them a row for each control; their seeds are the study's. The spec of a row of existing runs is
    /// null, and so is that of a control until it is sized (StudyRuns does that), in time once both rows have been timed.
    std::vector<PlanRow> rows;
    std::map<std::string, ExistingRuns> existing;  ///< by the name of the row
    std::vector<StudyControl> controls;
    std::string baseline;  ///< the name of one of the rows
    StudyMetric metric;
    std::optional<Tuning> tuning;  ///< nothing: each row has one learning rate, and whether that is its best is not tested
    SeedTest test = SeedTest::Paired;
    double alpha = 0.05, power = 0.8;
    bool holm = true;              ///< p values are corrected for the number of variants (Holm)
    std::optional<double> margin;  ///< differences within ± margin are as good as none
    /// Fixed seeds, none where all rows are runs that exist; or seeds 1, 2, 3 … until all is decided, looked at after each from
    /// the first look to the last.
    std::variant<std::vector<std::uint64_t>, Looks> seeds = Looks{};
    std::optional<Claim> claim;
    /// Folder with the runs' outputs for the test set; empty if there are none. It is not part of the question.
    std::string outputs;
    bool operator==(const Study&) const = default;

    /// {"schema":"heddle.study/1",…}
    Json toJson() const;
    /// Throws Error(InvalidInput) naming `where` and what is wrong.
    static Study parse(const Json& document, const std::string& where);

    bool exists(const std::string& row) const { return existing.contains(row); }
    /// The row of a control: "base matched to gated", "base matched to gated in FLOPs", "… in time".
    std::string rowOf(const StudyControl& control) const;
    /// The control that a row is; null for others.
    const StudyControl* controlOf(const std::string& row) const;

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
    bool isWhole = false;  ///< of a row of existing runs: no other seeds will come, and seeds need not be the study's
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
    SeedDifference difference;            ///< against the baseline; its interval is simultaneous for the family (Bonferroni)
    bool isLookedAt = false;              ///< all seeds of the look are there: earlier, no number says anything
    std::optional<RankDifference> ranks;  ///< of the same runs, told beside the test that decides; nothing before a look
    std::optional<double> correctedP;     ///< for the family
    std::optional<double> equivalenceP;   ///< of both one-sided tests, corrected for the family; where the study has a margin
    Verdict verdict = Verdict::NotShown;
    Decision decision = Decision::Open;
    std::vector<LeftOutRun> leftOut;
    std::size_t seen = 0;             ///< seeds, from the first on, that this row and the baseline both have
    std::vector<std::uint64_t> next;  ///< seeds that decide next; empty unless it is open
};

/// How large a matched control is beside its variant. FLOPs: forward, of one source and one target token.
struct ControlSize {
    std::string row, of;
    ControlMatch match = ControlMatch::Parameters;
    std::int64_t width = 0;  ///< dims.f
    std::int64_t parameters = 0, parametersOf = 0;
    double flops = 0, flopsOf = 0;
    bool isAssumed = false;  ///< counted with assumed sizes of vocabularies: the baseline's first run tells them

    // Matched in time; nothing of it is known while `steps` is 0.
    std::int64_t steps = 0, stepsOf = 0;        ///< of a run of the control and of one of the variant
    double secondsBaseline = 0, secondsOf = 0;  ///< of a step of the baseline, which is one of the control, and of the variant
    std::int64_t raised = 0;                    ///< so many steps were added, so that no other row is the same run
    std::string measuredOn = {};                ///< "cpu of host a, 2 threads"
    std::string problem = {}, next = {};        ///< why there can be no number of steps, and what to do; empty: there can
};

/// A question that was changed after it had been asked of this database, or that was asked again of other runs.
struct StudyChange {
    double at = 0;                  ///< Unix time
    std::size_t ended = 0;          ///< runs that had ended then: what they gave may have been known
    std::vector<std::string> keys;  ///< of the study that differ: "metric", "seeds"; none: it is the same question
    std::int64_t runs = 0;          ///< of the same question: so many more runs have ended since, or are gone (below 0)
    bool operator==(const StudyChange&) const = default;
};

/// Completed runs of a row's experiment that the study does not ask for.
struct UnaskedRuns {
    std::string row;
    std::vector<std::uint64_t> seeds;  ///< ascending, each once; none of them has a value in the row
    std::size_t trashed = 0;           ///< so many of these seeds are only in the trash
    bool operator==(const UnaskedRuns&) const = default;
};

struct StudyVerdict {
    double level = 0;             ///< Study::level()
    std::size_t comparisons = 0;  ///< variants beside the baseline
    SeedValues baseline;
    std::vector<LeftOutRun> baselineLeftOut;
    std::vector<RowVerdict> rows;  ///< without the baseline, in the study's order
    /// Seeds to train next, of every row that is still open and of the baseline; none where all is decided.
    std::vector<std::uint64_t> nextSeeds;

    // What verdictOf() does not know: whoever reads the runs adds it.
    std::optional<TuningOutcome> tuning;
    std::vector<ControlSize> controls;
    std::vector<StudyChange> changes;
    std::vector<UnaskedRuns> unasked;
    std::vector<std::string> otherValues;  ///< that other studies ask of the same rows: "valid accuracy, last"
    /// The difference over seeds and test items together, by the name of the row, at the level of the row's interval over
    /// seeds; empty without outputs. It does not change the verdict. Where it is not computed, `whyNone` says why.
    std::map<std::string, TwoLevelDifference> items;
};

/// `values` by the name of the row; a row without values is open, and so is one of a study with fixed seeds till all of them
/// are there: whoever decides earlier peeks. Seeds are taken in their order: what came out of turn waits.
StudyVerdict verdictOf(const Study& study, const std::map<std::string, StudyValues>& values);

/// Whether the claim is shown (1), its opposite is (−1), or neither (0). Of a study without a claim 0, and where runs that
/// failed are left out: they may have failed where they would have been bad. The opposite of better is worse; that of
/// equivalent is a difference whose interval lies beyond the margin.
int claimIn(const Study& study, const StudyVerdict& verdict);

}  // namespace heddle
