// SPDX-License-Identifier: Apache-2.0
// A study beside a run database: the runs that it asks for, those that are there, and the values that they have.
#pragma once

#include "app/study/asked_study.h"
#include "app/study/existing_runs.h"
#include "app/study/planned_runs.h"
#include "engine/analysis/comparable.h"
#include "engine/analysis/study.h"
#include "engine/base/error.h"
#include "engine/spec/diff.h"
#include "engine/spec/draft_facts.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {

/// The state of a run whose settings its row's trials have not chosen yet.
inline constexpr const char* kWaitsForTrials = "waits";

class StudyRuns {
public:
    /// `file` is where `study` comes from: relative paths start from its folder, and errors name it. `device` replaces that of
    /// all runs unless it is empty. `changes` says how `study` differs from the file (StudyChanges::text()). Throws
    /// Error(InvalidInput) for an invalid spec, a value that no run can have, or a control that cannot be made.
    StudyRuns(Study study, const std::string& file, const std::string& device, const std::string& changes = "");

    /// Reads which runs there are and the values of those that have ended. Pointers to runs are invalid
    /// afterwards, because the trials may have chosen other settings. Throws storage::StorageError, and Error(InvalidInput)
    /// where a row's existing runs are not there.
    void refresh(storage::RunQuery& query, const std::string& database);

    /// The study as it was asked; rows of controls have the spec that they are trained with.
    const Study& study() const { return study_; }
    const std::string& file() const { return file_; }
    /// The key of the study's item in a database.
    const std::string& key() const { return key_; }
    const std::map<std::string, StudyValues>& values() const { return values_; }
    const std::string& nameOfRow(const PlannedRun& run) const { return study_.rows[run.row].name; }
    /// The runs whose values are compared, those of existing rows last.
    std::vector<PlannedRun>& planned() { return planned_; }
    const std::vector<PlannedRun>& planned() const { return planned_; }
    /// The runs that choose the settings of those; empty for a study without tuning.
    std::vector<PlannedRun>& trials() { return trials_; }
    const std::vector<PlannedRun>& trials() const { return trials_; }
    /// Returns what a trial sets; null for a run that is no trial.
    const Trial* trialOf(const PlannedRun& run) const;
    /// Returns the verdict with the settings that the trials chose, the sizes of the controls and the changes of the question.
    StudyVerdict verdict() const;
    /// Returns the same with the runs that nobody asked for and the questions of other studies, for which every run of the
    /// database is read. Throws storage::StorageError.
    StudyVerdict toldVerdict(storage::RunQuery& query) const;
    /// Whether runs ended and none of them has a value.
    bool hasNoValues() const;
    /// The study as it is asked at this Unix time, with the runs that have ended, trials among them.
    AskedStudy askedAt(double time) const;
    /// The runs that come next: the trials while some are open, else those that the verdict asks for, of the rows that are open
    /// and of the baseline. A control whose size the baseline's first run must tell waits for it, and one that is matched in
    /// time for the first runs of the baseline and its variant.
    std::vector<PlannedRun*> due(const StudyVerdict& verdict);
    /// Why the study cannot go on: a trial failed for another reason than divergence, or has no value; or all trials of a row
    /// diverged; or a control cannot be matched in time. Nothing: it can. The rows that it does not name may have a verdict.
    std::optional<Error> problem() const;

private:
    /// A completed run and its value by the study's rule.
    struct Ended {
        const PlannedRun* run;
        double value;
        Measured measured;
        FileContents contents;
    };
    bool isTrained(const std::string& row) const { return !study_.exists(row) && !isUntimed(row); }
    bool isSized(const std::string& row) const;
    bool isUntimed(const std::string& row) const;
    void sizeRows(const AssumedVocabulary& assumed, bool isKnown);
    bool learnSizes(storage::RunQuery& query);
    std::optional<std::string> timedRun(const std::string& row) const;
    std::string nextOfFailed(const std::string& row) const;
    bool learnTimes(storage::RunQuery& query);
    void planTrials();
    void tuneAll(KnownRuns& known, storage::RunQuery& query);
    void readTrials(storage::RunQuery& query);
    TuningOutcome tuned() const;
    void plan();
    bool isChosen(const std::string& row) const;
    void addExisting(storage::RunQuery& query, const std::string& database);
    void leaveOut(const PlannedRun& run, std::string why, bool hasFailed = false);
    std::optional<Ended> read(storage::RunQuery& query, const PlannedRun& run);
    void count(const std::vector<Ended>& all);
    std::optional<Measured> usualOf(const std::vector<Ended>& all) const;

    Study study_;
    std::string file_, key_, device_;
    bool areSizesKnown_ = false;
    std::vector<ControlSize> controls_;
    std::vector<StudyChange> changes_;
    std::vector<PlannedRun> trials_;
    std::vector<Trial> trialOf_;  ///< of each of trials_
    TrialValues trialValues_;
    std::optional<Error> trialProblem_;
    std::optional<TuningOutcome> tuning_;
    std::vector<PlannedRun> planned_;
    std::map<std::pair<std::size_t, std::string>, std::string> leftOut_;  ///< runs of existing rows: why, by row and id
    std::map<std::string, StudyValues> values_;
    std::size_t ended_ = 0, existing_ = 0;  ///< completed runs, trials among them; of these those of rows of existing runs
};

}  // namespace heddle::app
