// SPDX-License-Identifier: Apache-2.0
#include "app/study/study_runs.h"

#include "app/study/asked_study.h"
#include "app/study/file_contents.h"
#include "app/study/item_differences.h"
#include "app/study/recorded_value.h"
#include "app/study/unasked_runs.h"
#include "engine/analysis/run_group.h"
#include "engine/base/check.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

std::string folderOf(const std::string& file) { return std::filesystem::absolute(file).parent_path().string(); }

/// A rule that no run can follow is refused before they are trained.
void requireReachable(const ValueRule& rule, const std::vector<PlannedRun>& planned, const std::string& file) {
    for (const PlannedRun& run : planned) {
        const TrainSpec& train = run.spec.train;
        if (rule.kind == ValueRule::Kind::AtStep && train.steps > 0 && rule.number > train.steps)
            throwInvalid(fmt::format("the value of {} is taken at step {}, but it has only {} steps", printable(run.spec.name),
                                     rule.number, train.steps),
                         file, "use a step that it reaches, or \"last\"");
        const std::int64_t kept = std::max<std::int64_t>(train.keepLast, 1) + 1;  // planRetention(): and the last one
        if (rule.kind == ValueRule::Kind::Averaged && rule.number > kept)
            throwInvalid(fmt::format("the value of {} is the average of its last {} checkpoints, but it keeps at most {}",
                                     printable(run.spec.name), rule.number, kept),
                         file, fmt::format("set train.keep_last={}, or average fewer", rule.number));
    }
}

}  // namespace

StudyRuns::StudyRuns(Study study, const std::string& file, const std::string& device, const std::string& changes)
    : study_(std::move(study)), file_(file), key_(studyKey(file, changes)), device_(device) {
    if (!study_.outputs.empty())
        study_.outputs = (std::filesystem::path(folderOf(file_)) / study_.outputs).lexically_normal().string();
    sizeRows({}, false);
    if (study_.tuning) {
        tuning_ = tuned();
        planTrials();
    }
    plan();
}

TuningOutcome StudyRuns::tuned() const {
    std::vector<std::string> names;
    for (const PlanRow& row : study_.rows)
        if (isTrained(row.name)) names.push_back(row.name);
    const std::string base = folderOf(file_);
    const auto canBe = [&](const Trial& trial) {
        return std::all_of(study_.rows.begin(), study_.rows.end(), [&](PlanRow row) {
            if (!isTrained(row.name)) return true;
            for (std::string& assignment : trial.trained()) row.set.push_back(std::move(assignment));
            try {
                return !runsOf(row, builtinCatalogue(), base).empty();
            } catch (const Error&) {
                return false;
            }
        });
    };
    return tune(*study_.tuning, names, trialValues_, canBe);
}

/// Plans the trials of `tuning_`.
void StudyRuns::planTrials() {
    std::vector<PlanRow> rows;
    std::vector<std::size_t> places;
    trialOf_.clear();
    for (const RowTuning& row : tuning_->rows) {
        const auto own =
            std::find_if(study_.rows.begin(), study_.rows.end(), [&](const PlanRow& one) { return one.name == row.row; });
        HEDDLE_CHECK(own != study_.rows.end());
        for (const TrialOutcome& one : row.trials) {
            PlanRow trial{own->name + ", " + one.trial.text(), own->spec, own->set, {study_.tuning->seed}};
            for (std::string& assignment : one.trial.trained()) trial.set.push_back(std::move(assignment));
            rows.push_back(std::move(trial));
            places.push_back(std::size_t(own - study_.rows.begin()));
            trialOf_.push_back(one.trial);
        }
    }
    try {
        trials_ = plannedRuns(std::move(rows), file_, device_);
    } catch (const Error& error) {
        throw Error(error.code(), error.problem(), file_ + ", \"tuning\", " + error.where(), error.next());
    }
    requireReachable(study_.tuning->metric.rule, trials_, file_);
    for (std::size_t i = 0; i < trials_.size(); ++i)
        if (trials_[i].spec.train.schedule == ScheduleKind::Noam && trialOf_[i].values.contains("train.lr"))
            throwInvalid(fmt::format("the schedule noam of {} does not use train.lr, so all trials would be equal",
                                     printable(trials_[i].spec.name)),
                         file_ + ", \"tuning\"", "tune train.schedule.factor, or choose another schedule");
    for (PlannedRun& trial : trials_) trial.row = places[trial.row];
}

/// Finds the trials and plans further ones, as long as their values ask for them.
void StudyRuns::tuneAll(KnownRuns& known, storage::RunQuery& query) {
    trialValues_.clear();
    for (;;) {
        TuningOutcome now = tuned();
        std::size_t count = 0;
        for (const RowTuning& row : now.rows) count += row.trials.size();
        const bool isNew = trialValues_.empty() || count != trials_.size();
        tuning_ = std::move(now);
        if (!isNew) return;
        planTrials();
        known.find(trials_);
        readTrials(query);
        if (trialValues_.empty()) return;
    }
}

/// Reads the values of the trials that have ended.
void StudyRuns::readTrials(storage::RunQuery& query) {
    trialValues_.clear();
    trialProblem_.reset();
    for (std::size_t i = 0; i < trials_.size(); ++i) {
        const PlannedRun& run = trials_[i];
        if (run.hasFailed() && hasDiverged(query, run.id)) {
            trialValues_[nameOfRow(run)][trialOf_[i]] = std::nullopt;
        } else if (run.hasFailed()) {
            trialProblem_ =
                Error(ErrorCode::Failure, "a trial failed for another reason than a diverged loss: " + run.spec.name, run.id,
                      "heddle runs show tells why; heddle resume " + run.id + " tries it again, then give the study again");
        } else if (run.isDone()) {
            const RecordedValue value = recordedValue(query, run.id, study_.tuning->metric);
            if (value.value)
                trialValues_[nameOfRow(run)][trialOf_[i]] = value.value;
            else
                trialProblem_ =
                    Error(ErrorCode::InvalidInput, "a trial " + value.why + ": " + run.spec.name, file_,
                          "name another \"metric\" of \"tuning\": heddle runs show " + run.id + " lists those that it has");
        }
    }
}

const Trial* StudyRuns::trialOf(const PlannedRun& run) const {
    for (std::size_t i = 0; i < trials_.size(); ++i)
        if (&trials_[i] == &run) return &trialOf_[i];
    return nullptr;
}

/// Plans the runs of the rows that are trained, with what the trials chose.
void StudyRuns::plan() {
    std::vector<PlanRow> rows;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < study_.rows.size(); ++i) {
        PlanRow row = study_.rows[i];
        if (!isTrained(row.name)) continue;
        row.seeds = study_.allSeeds();
        if (const RowTuning* own = tuning_ ? tuning_->of(row.name) : nullptr; own && own->chosen)
            for (std::string& assignment : own->chosen->assignments()) row.set.push_back(std::move(assignment));
        rows.push_back(std::move(row));
        places.push_back(i);
    }
    planned_ = plannedRuns(std::move(rows), file_, device_);
    requireReachable(study_.metric.rule, planned_, file_);
    for (PlannedRun& run : planned_) {
        run.row = places[run.row];
        if (!isChosen(nameOfRow(run))) run.state = kWaitsForTrials;
    }
}

bool StudyRuns::isChosen(const std::string& row) const {
    const RowTuning* own = tuning_ ? tuning_->of(row) : nullptr;
    return !own || (tuning_->isDone && own->chosen);
}

void StudyRuns::addExisting(storage::RunQuery& query, const std::string& database) {
    leftOut_.clear();
    std::map<std::string, std::size_t> countsIn;  // the row of a run
    for (const PlannedRun& run : planned_)
        if (!run.id.empty()) countsIn.emplace(run.id, run.row);
    for (std::size_t i = 0; i < study_.rows.size(); ++i) {
        const std::string& row = study_.rows[i].name;
        const auto wanted = study_.existing.find(row);
        if (wanted == study_.existing.end()) continue;
        values_[row].isWhole = true;
        for (ExistingRun& one : existingRuns(wanted->second, row, file_, query, database)) {
            if (study_.test == SeedTest::Paired && one.why.empty() && !one.mayPair)
                throwInvalid(fmt::format("run {} is imported, and its seeds are not declared as pairs", one.run.id),
                             fmt::format("{}, row \"{}\"", file_, row),
                             "use \"test\": \"welch\", or import its file again with --paired");
            one.run.row = i;
            if (one.why.empty())
                if (const auto [other, isFirst] = countsIn.emplace(one.run.id, i); !isFirst)
                    one.why = fmt::format("counts in the row \"{}\" already", study_.rows[other->second].name);
            if (!one.why.empty()) leftOut_[{i, one.run.id}] = one.why;
            planned_.push_back(std::move(one.run));
        }
    }
}

void StudyRuns::refresh(storage::RunQuery& query, const std::string& database) {
    values_.clear();
    KnownRuns known(query, database);
    do {
        if (study_.tuning) tuneAll(known, query);
        plan();
        known.find(planned_);
        for (PlannedRun& run : planned_)  // with settings that nobody chose it would be another run
            if (!isChosen(nameOfRow(run))) run = {std::move(run.spec), run.row, "", kWaitsForTrials};
    } while (learnSizes(query) || learnTimes(query));
    addExisting(query, database);
    existing_ = std::size_t(std::count_if(planned_.begin(), planned_.end(), [&](const PlannedRun& run) {
        return run.isDone() && study_.exists(nameOfRow(run));
    }));
    ended_ = std::size_t(std::count_if(trials_.begin(), trials_.end(), [](const PlannedRun& run) { return run.isDone(); }));
    ended_ += std::size_t(std::count_if(planned_.begin(), planned_.end(), [](const PlannedRun& run) { return run.isDone(); }));
    const auto asked = findAsked(query, key_);
    changes_ = asked ? changesToTell(*asked, askedAt(0)) : std::vector<StudyChange>();
    std::vector<Ended> all;
    for (const PlannedRun& run : planned_)
        if (auto ended = read(query, run)) all.push_back(std::move(*ended));
    count(all);
}

/// Takes the values of the runs that were trained on the same data and measured alike.
void StudyRuns::count(const std::vector<Ended>& all) {
    const std::optional<Measured> usual = usualOf(all);
    std::map<std::size_t, FileContents> trainedOn;  // of each row's first run that recorded it
    FirstContents files;
    for (const Ended& one : all) {
        FileContents& first = trainedOn[one.run->row];
        if (first.empty()) first = one.contents;
        if (differ(first, one.contents)) {
            leaveOut(*one.run, "was trained on other data than the row's first run");
            continue;
        }
        if (const auto changed = files.changedFor(one.run->spec.toJson(), one.contents)) {
            leaveOut(*one.run, "read other contents of " + *changed + " than an earlier run");
            continue;
        }
        const std::string reasons = usual ? reasonsOf(unlike(one.measured, *usual)) : "";
        if (!reasons.empty())
            leaveOut(*one.run, "is not measured as the baseline is: " + reasons);
        else
            values_[nameOfRow(*one.run)].values[one.run->spec.seed] = one.value;
    }
}

AskedStudy StudyRuns::askedAt(double time) const {
    return {study_.toJson(), folderOf(file_), time, ended_, {}, ended_, existing_};
}

StudyVerdict StudyRuns::verdict() const {
    StudyVerdict verdict = verdictOf(study_, values_);
    verdict.tuning = tuning_;
    verdict.controls = controls_;
    verdict.changes = changes_;
    return verdict;
}

StudyVerdict StudyRuns::toldVerdict(storage::RunQuery& query) const {
    StudyVerdict told = verdict();
    told.unasked = unaskedRuns(*this, query);
    told.otherValues = otherValuesOf(askedAt(0), key_, query);
    told.items = itemDifferences(*this, told, query);
    return told;
}

bool StudyRuns::hasNoValues() const {
    const bool hasEnded = std::any_of(planned_.begin(), planned_.end(), [](const PlannedRun& run) { return run.isDone(); });
    return hasEnded && std::all_of(values_.begin(), values_.end(), [](const auto& row) { return row.second.values.empty(); });
}

std::vector<PlannedRun*> StudyRuns::due(const StudyVerdict& verdict) {
    std::vector<PlannedRun*> all;
    const auto isDue = [&](const PlannedRun& run) {
        return !run.isDone() && !run.hasFailed() && isSized(nameOfRow(run)) && isTrained(nameOfRow(run));
    };
    if (tuning_ && !tuning_->isDone) {
        for (PlannedRun& run : trials_)
            if (isDue(run)) all.push_back(&run);
        return all;
    }
    for (const std::uint64_t seed : verdict.nextSeeds)
        for (PlannedRun& run : planned_) {
            if (run.spec.seed != seed || !isDue(run) || !isChosen(nameOfRow(run))) continue;
            const auto row = std::find_if(verdict.rows.begin(), verdict.rows.end(),
                                          [&](const RowVerdict& one) { return one.name == nameOfRow(run); });
            if (row == verdict.rows.end() || row->decision == Decision::Open) all.push_back(&run);
        }
    return all;
}

std::optional<Error> StudyRuns::problem() const {
    if (tuning_ && !tuning_->isDone) return trialProblem_;
    for (const ControlSize& control : controls_)
        if (!control.problem.empty())
            return Error(ErrorCode::InvalidInput, "its number of steps is not known: " + control.problem,
                         fmt::format("{}, row \"{}\"", file_, control.row), control.next);
    if (!tuning_) return {};
    for (const RowTuning& row : tuning_->rows)
        if (!row.chosen)
            return Error(ErrorCode::Diverged, "every trial of \"" + row.row + "\" diverged, so none could be chosen", file_,
                         "use other values in \"tuning\", such as smaller learning rates");
    return {};
}

void StudyRuns::leaveOut(const PlannedRun& run, std::string why, bool hasFailed) {
    values_[nameOfRow(run)].leftOut.push_back({run.spec.seed, std::move(why), hasFailed});
}

std::optional<StudyRuns::Ended> StudyRuns::read(storage::RunQuery& query, const PlannedRun& run) {
    if (const auto why = leftOut_.find({run.row, run.id}); why != leftOut_.end()) {
        leaveOut(run, why->second, run.hasFailed());
        return {};
    }
    if (run.hasFailed()) {
        leaveOut(run, "failed; heddle resume " + run.id + " tries it again", true);
        return {};
    }
    if (!run.isDone()) return {};
    RecordedValue value = recordedValue(query, run.id, study_.metric);
    if (!value.value) {
        leaveOut(run, value.why);
        return {};
    }
    FileContents contents = fileContents(run.spec, recordedDataHashes(query, run.id));
    value.measured.data = splitContent(contents, study_.metric.split);
    return Ended{&run, *value.value, std::move(value.measured), std::move(contents)};
}

/// How most runs of the baseline are measured; nothing while none has ended.
std::optional<Measured> StudyRuns::usualOf(const std::vector<Ended>& all) const {
    std::vector<std::pair<Measured, int>> kinds;
    for (const Ended& one : all) {
        if (nameOfRow(*one.run) != study_.baseline) continue;
        const auto kind =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.first == one.measured; });
        if (kind == kinds.end())
            kinds.emplace_back(one.measured, 1);
        else
            ++kind->second;
    }
    const auto most =
        std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == kinds.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace heddle::app
