// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of runs beside a baseline: values by a rule, differences, verdicts. A study that was asked beforehand is answered
// as `heddle study` answers it; any other comparison is the same kind of study, made of the groups of the page after their runs
// were seen. Plain data, computed on any thread.
#pragma once

#include "app/study/study_runs.h"
#include "engine/analysis/noise_floor.h"
#include "engine/analysis/spread.h"
#include "engine/analysis/study.h"
#include "ui/data/published_value.h"
#include "ui/data/run_facts.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::storage {
class RunQuery;
}

namespace heddle::ui {

/// What the user chose on the page. A study that was asked beforehand has these in it.
struct StudyQuestion {
    StudyMetric metric;
    std::string baseline;  ///< key of a group; empty: the group whose first run is the oldest of those that have a value
    bool holm = true;
    bool operator==(const StudyQuestion&) const = default;
};

/// A study of a database.
struct KnownStudy {
    int database = 0;
    std::string key, body;  ///< of the database's item; the body has the study and the folder of its files
    bool operator==(const KnownStudy&) const = default;
};

/// A run whose value no number uses.
struct LeftOutOfGroup {
    RunRef run;
    std::uint64_t seed = 0;
    std::string why;         ///< "is running"
    bool hasFailed = false;  ///< perhaps because it diverged
    bool isUnlike = false;   ///< its value cannot be put beside the others
    bool isOpen = false;     ///< it has neither completed nor failed, or is damaged; another run may give the value of its seed
};

/// The value of a group and what is known of its difference to the baseline. Numbers are as stored (shares from 0 to 1).
struct ComparedGroup {
    std::string key;
    SeedValues values;                     ///< of the runs that are used, by seed
    std::map<std::uint64_t, RunRef> runs;  ///< the same runs
    std::optional<Spread> spread;          ///< of these values
    std::size_t available = 0;             ///< seeds of the group's runs, used or not
    std::int64_t parameters = 0;
    std::vector<LeftOutOfGroup> leftOut;
    std::optional<RowVerdict> verdict;  ///< of a group that is compared
    SeedTest test = SeedTest::Paired;   ///< Paired where seeds are shared with the baseline
    std::string whyNone;                ///< why it is not compared: "too few seeds (1)"; empty for the baseline
    bool isUnlike = false;              ///< its values are not comparable with the baseline's; `whyNone` says why
    /// Mean less the baseline's mean: of the pairs where seeds are shared. Nothing where they cannot be put beside each other.
    std::optional<double> difference;
    std::vector<PublishedValue> published;  ///< by each reproduction that made runs of the group

    /// What one of its runs differs by from the baseline's run of the same seed, or from the baseline's mean where pairs are
    /// not tested; nothing for a run that is not used.
    std::optional<double> differenceOf(std::uint64_t seed, const ComparedGroup& baseline) const;
};

/// A study and its answer.
struct Judged {
    Study study;  ///< its rows are named by the keys of their groups, those of a study that was asked by their own names
    StudyVerdict verdict;
};

struct StudyComparison {
    StudyQuestion question;
    bool isAsked = false;                           ///< the study was written before its runs were seen
    std::array<std::shared_ptr<Judged>, 2> judged;  ///< by SeedTest, where some group is tested so
    std::string baseline;                           ///< key of the group; empty: there is none to compare with
    std::unordered_map<std::string, ComparedGroup> groups;
    std::string valueKey;              ///< of the evaluations that the rule chooses from: "valid.loss", "valid-average-5.loss"
    double scale = 1;                  ///< from stored to shown values of the metric: 100 for shares
    int decimals = 4;                  ///< of shown values
    std::optional<NoiseFloor> noise;   ///< of the groups that can be put beside the baseline
    std::optional<double> noiseReach;  ///< that of means of as many seeds as the baseline has
    double reach = 1;                  ///< how far from zero differences and their intervals lie, for a common scale

    const ComparedGroup* group(const std::string& key) const;
    const ComparedGroup* baselineGroup() const { return group(baseline); }
    /// The study that gave the group its verdict; null if the group has no verdict.
    const Judged* judgedOf(const ComparedGroup& group) const;
    /// Comparisons that p values and intervals are corrected for.
    std::size_t comparisons() const;
    /// "valid.loss".
    std::string metricKey() const { return question.metric.split + "." + question.metric.name; }
};

/// Groups are compared that share the baseline's data, rule and number of items and have two seeds at least: paired where two
/// of their seeds are the baseline's too and runs of equal seeds are pairs (SpecFacts::mayPair), by Welch's test otherwise. All
/// that are compared make one family, whatever the page shows of them.
StudyComparison compareGroups(const RunTable& table, const StudyQuestion& question);

/// The runs of a study of a database, refreshed. `file`: of the database. Throws Error, StorageError.
app::StudyRuns studyRunsOf(const KnownStudy& known, storage::RunQuery& query, const std::string& file);

/// The answer to a study of a database, on its reader's thread. Throws as studyRunsOf() does.
StudyComparison answerStudy(const RunTable& table, const KnownStudy& known, storage::RunQuery& query, const std::string& file);

}  // namespace heddle::ui
