// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_submissions.h"

#include "app/launch/planned_sweep.h"
#include "app/launch/slurm_launcher.h"
#include "app/session/requests/averages.h"
#include "app/study/asked_study.h"
#include "app/study/study_runs.h"
#include "app/study/usable_runs.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/run/run_state.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using At = SubmittedRun::At;

void requireSweepName(const std::string& name) {
    if (!isSweepName(name))
        throwUsage("the name of a sweep is that of its file", name,
                   "use a name without \"/\" that does not begin with a point");
}

/// The runs of a kept plan beside the database.
PlannedSweep openSweep(const std::string& plan, const std::string& database, std::function<void(const std::string&)> say) {
    return {plannedRuns(Plan::parse(readJsonFile(plan), plan).rows, plan, ""),
            {database, [database] { return storage::RunQuery::open(database); }, std::move(say)}};
}

/// What Slurm says of an open task. `queue` null: it says nothing now.
SubmittedRun openRun(const SlurmQueue* queue, const SlurmTask& task, std::string title) {
    if (!queue) return {std::move(title), At::Queued, "job " + task.text()};
    const SlurmState state = queue->stateOf(task);
    if (state.life == SlurmLife::Running) return {std::move(title), At::Running, state.node};
    if (state.life == SlurmLife::Ended) return {std::move(title), At::Ended, "job " + task.text()};
    const bool hasReason = !state.reason.empty() && state.reason != "None";
    return {std::move(title), At::Queued, "job " + task.text() + (hasReason ? ": " + state.reason : "")};
}

/// The open runs of an array but for those whose keys are known.
void addOpen(Submission& submission, const SlurmArray& array, const SlurmFolder& folder, const SlurmQueue* queue,
             const std::set<std::string>& known = {}) {
    for (std::size_t i = 0; i < array.runs.size(); ++i)
        if (const std::string& key = array.runs[i]; !contains(array.ended, key) && !known.contains(key))
            submission.runs.push_back(openRun(queue, {array.job, array.taskOf(i)}, folder.titleOf(key)));
}

/// Of a sweep or study of the command line only the open arrays are known. A study is one with its trials.
void addOthers(std::vector<Submission>& all, const SlurmFolder& folder, const std::vector<SlurmArray>& arrays,
               const SlurmQueue* queue) {
    std::map<std::string, Submission> others;
    for (const SlurmArray& array : arrays) {
        const std::string study = studyOfGroup(array.group), name = study.empty() ? array.group : groupOfStudy(study, false);
        addOpen(others.try_emplace(name, Submission{name, false, {}, study}).first->second, array, folder, queue);
    }
    for (auto& [name, submission] : others) all.push_back(std::move(submission));
}

/// Throws Error(Failure) if one of the runs was submitted before: its job was lost or cancelled, or Slurm refused it.
void requireNew(const std::vector<PlannedRun>& next, const SlurmFolder& folder, const std::string& study) {
    const auto left =
        std::count_if(next.begin(), next.end(), [&](const PlannedRun& run) { return folder.isPrepared(workKey(run)); });
    if (left > 0)
        throw Error(ErrorCode::Failure,
                    fmt::format("{} run{} of the study {} not trained to {} end", left, left == 1 ? "" : "s",
                                left == 1 ? "was" : "were", left == 1 ? "its" : "their"),
                    "study " + study, "submit the study again: it goes on from their last checkpoints");
}

}  // namespace

SlurmSubmissions::SlurmSubmissions(const std::string& database, std::string command,
                                   std::function<std::shared_ptr<Engine>()> engine)
    : database_(database),
      command_(std::move(command)),
      folder_(slurmFolderOf(database)),
      engine_(std::move(engine)),
      kept_(folder_) {}

std::vector<std::string> SlurmSubmissions::groupsOf(const std::string& name) const {
    if (const std::string study = studyOfGroup(name); !study.empty())
        return {groupOfStudy(study, false), groupOfStudy(study, true)};
    return {isSweepName(name) ? groupOfSweep(kept_.planOf(name)) : name};
}

/// Whether runs of a submission are in arrays that have not ended.
bool SlurmSubmissions::hasJobs(const std::string& name, const std::vector<SlurmArray>& arrays) const {
    const std::vector<std::string> groups = groupsOf(name);
    return std::any_of(arrays.begin(), arrays.end(), [&](const SlurmArray& array) { return contains(groups, array.group); });
}

/// What comes next in a study, after the means of weights that its values ask for were evaluated, unless another program owns
/// the database.
StudyProgress SlurmSubmissions::progressOfStudy(const std::string& key) const {
    const auto read = [&] {
        const auto query = storage::RunQuery::open(database_);
        StudyRuns runs = runsOfAsked(findAsked(*query, key), key, *query, database_);
        return progressOf(runs, *query, database_);
    };
    StudyProgress progress = read();
    if (progress.averages.empty() || !storage::currentOwner(database_).empty()) return progress;
    std::vector<AverageEvaluation> asked;
    for (const AveragedValue& one : progress.averages) asked.push_back({one.run, one.count, one.split, one.device});
    ensureAveragesEvaluated(database_, engine_, asked);
    return read();
}

/// Does what `heddle sweep` and `heddle study` do with --launcher slurm --no-wait. Returns the lines that they say. `known`:
/// the progress of a study, if it was read already.
std::vector<std::string> SlurmSubmissions::train(const std::string& name, std::optional<StudyProgress> known) const {
    std::vector<std::string> said;
    const auto say = [&said](const std::string& line) { said.push_back(line); };
    SlurmOptions options = kept_.optionsOf(name);
    options.after = SlurmOptions::After::Return;
    const SlurmLauncher::Place place{database_, command_, say, [] { return 0; }};
    if (const std::string study = studyOfGroup(name); !study.empty()) {
        StudyProgress progress = known ? std::move(*known) : progressOfStudy(study);
        if (!progress.averages.empty())
            throw Error(ErrorCode::Failure, "means of weights are still to be evaluated, on which the next runs depend",
                        "study " + study, "submit it when no other program owns the database");
        if (progress.next.empty() && progress.problem) throw *progress.problem;
        if (progress.next.empty()) throwUsage("the study asks for no more runs now", "study " + study, "see its verdict");
        requireUsable(progress.next);
        std::vector<PlannedRun*> next;
        for (PlannedRun& run : progress.next) next.push_back(&run);
        SlurmLauncher(place, options).train(std::move(next), progress.group);
    } else {
        PlannedSweep sweep = openSweep(kept_.planOf(name), database_, say);
        SlurmLauncher launcher(place, options);
        sweep.train(launcher, groupOfSweep(kept_.planOf(name)));
    }
    return said;
}

/// If the submission fails, removes the plan or study from what is kept, unless some of its jobs were submitted.
std::vector<std::string> SlurmSubmissions::trainOrForget(const std::string& name) const {
    try {
        return train(name);
    } catch (...) {
        if (!hasJobs(name, SlurmFolder(database_).arrays())) kept_.remove(name);
        throw;
    }
}

std::vector<std::string> SlurmSubmissions::submit(const std::string& name, const std::vector<PlanRow>& rows,
                                                  const SlurmOptions& options) {
    requireSweepName(name);
    const std::lock_guard lock(use_);
    const std::string plan = kept_.planOf(name);
    if (kept_.hasPlan(name))
        throwUsage("a sweep of this name was submitted already", plan, "choose another name, or submit that one again");
    requireStarts(rows, plan);
    kept_.keepPlan(name, rows, options);
    return trainOrForget(name);
}

std::vector<std::string> SlurmSubmissions::submitStudy(const std::string& key, const SlurmOptions& options) {
    const std::lock_guard lock(use_);
    kept_.keepStudy(key, options);
    return trainOrForget(groupOfStudy(key, false));
}

std::vector<std::string> SlurmSubmissions::submitAgain(const std::string& name) {
    const std::lock_guard lock(use_);
    if (const std::string study = studyOfGroup(name); !study.empty()) kept_.keepStudy(study, kept_.optionsOf(name));
    return train(name);
}

/// Merges the run of a task that has ended, or tells why it is lost.
void SlurmSubmissions::settle(SlurmArrays& arrays, const SlurmArray& array, std::size_t run, SubmissionsLook& look) const {
    const std::string key = array.runs[run], title = arrays.folder().titleOf(key);
    const SlurmTask task{array.job, array.taskOf(run)};
    const MergedRun merged = arrays.tryMerge(key, array.group);
    if (merged.end == MergedRun::End::Busy) {
        look.problem = merged.why;
        return;
    }
    if (merged.end == MergedRun::End::Unfinished) {
        look.failures.push_back(
            failureText(arrays.folder(), key, task, fmt::format("{}: its job ended before the run: {}", title, merged.why)));
    } else if (merged.state == heddle::name(RunState::Completed)) {
        look.merged.push_back(title);
    } else {
        look.failures.push_back(failureText(arrays.folder(), key, task, title + ": the run failed"));
    }
    if (merged.end == MergedRun::End::Merged) arrays.folder().setMerged(key);
    arrays.close(key);
}

/// Merges or reports the runs whose jobs two looks in a row have found ended. One look is not enough: the last files of a job
/// may arrive on this machine after the news of its end.
void SlurmSubmissions::merge(SlurmArrays& arrays, const SlurmQueue& queue, SubmissionsLook& look) {
    arrays.adopt(queue);
    std::set<SlurmTask> ended;
    const std::vector<SlurmArray> all = arrays.all();  // settle() removes arrays
    for (const SlurmArray& array : all)
        for (std::size_t i = 0; i < array.runs.size(); ++i) {
            const SlurmTask task{array.job, array.taskOf(i)};
            if (contains(array.ended, array.runs[i]) || queue.stateOf(task).life != SlurmLife::Ended) continue;
            ended.insert(task);
            if (seenEnded_.contains(task)) settle(arrays, array, i, look);
        }
    seenEnded_ = std::move(ended);
    arrays.forgetMerged();
}

SubmittedRun SlurmSubmissions::stateOf(const PlannedRun& run, const std::vector<SlurmArray>& arrays,
                                       const SlurmQueue* queue) const {
    const SlurmFolder folder(database_);
    const std::string key = workKey(run);
    if (const auto task = openTask(arrays, key)) return openRun(queue, *task, run.title());
    if (run.isDone()) return {run.title(), At::Completed};
    if (run.hasFailed()) return {run.title(), At::Failed};
    if (fs::exists(folder.logOf(key))) return {run.title(), At::Lost, folder.logOf(key)};  // else no job of it has begun
    return {run.title(), At::New};
}

/// Of a study the runs that have ended and those that come next.
std::vector<PlannedRun> SlurmSubmissions::runsOf(const std::string& name) const {
    const std::string study = studyOfGroup(name);
    if (study.empty()) return openSweep(kept_.planOf(name), database_, {}).runs();
    const auto query = storage::RunQuery::open(database_);
    StudyRuns runs = runsOfAsked(findAsked(*query, study), study, *query, database_);
    const std::vector<PlannedRun*> due = runs.due(runs.verdict());
    std::vector<PlannedRun> all;
    for (auto* some : {&runs.trials(), &runs.planned()})
        for (PlannedRun& run : *some)
            if (contains(due, &run) || ((run.isDone() || run.hasFailed()) && !runs.study().exists(runs.nameOfRow(run))))
                all.push_back(run);
    return all;
}

Submission SlurmSubmissions::keptSubmission(const std::string& name, const std::vector<SlurmArray>& arrays,
                                            const SlurmQueue* queue) const {
    Submission submission{name, true, {}, studyOfGroup(name), kept_.goesOn(name)};
    std::set<std::string> known;
    for (const PlannedRun& run : runsOf(name)) {
        known.insert(workKey(run));
        submission.runs.push_back(stateOf(run, arrays, queue));
    }
    for (const SlurmArray& array : arrays)  // a study that was changed may no longer ask for a run
        if (contains(groupsOf(name), array.group)) addOpen(submission, array, SlurmFolder(database_), queue, known);
    return submission;
}

/// Submits what comes next in a study without jobs, or ends it.
void SlurmSubmissions::goOn(const std::string& name, SubmissionsLook& look) const {
    const std::string study = studyOfGroup(name);
    try {
        StudyProgress progress = progressOfStudy(study);
        const bool isOwned = !storage::currentOwner(database_).empty();
        if (!progress.open.empty() || (isOwned && !progress.averages.empty())) return;  // wait for the owner
        if (progress.isOver()) {
            kept_.remove(name);
            look.ended.push_back({study, progress.problem});
            return;
        }
        requireNew(progress.next, SlurmFolder(database_), study);
        train(name, std::move(progress));
    } catch (const Error& error) {
        kept_.pause(name);
        look.ended.push_back({study, error});
    }
}

SubmissionsLook SlurmSubmissions::look() {
    const std::lock_guard lock(use_);
    SubmissionsLook look;
    const SlurmFolder folder(database_);
    std::vector<SlurmArray> arrays = folder.arrays();
    const auto forEachKept = [&](const auto& work) {
        for (const std::string& name : kept_.names()) {
            try {
                work(name);
            } catch (const Error& error) {  // the others are watched
                if (error.code() != ErrorCode::InvalidInput) throw;
                look.problem = fmt::format("{} ({}): {}", error.problem(), error.where(), error.next());
            }
        }
    };
    std::vector<std::string> going;
    forEachKept([&](const std::string& name) {
        if (kept_.goesOn(name)) going.push_back(name);
    });
    std::optional<SlurmQueue> queue;
    if (!arrays.empty() || !going.empty()) queue = readSlurmQueue(look.problem);
    if (queue) {
        try {
            {
                SlurmArrays own(database_, "heddle " + command_);
                merge(own, *queue, look);
                arrays = own.all();
            }
            for (const std::string& name : going)
                if (!hasJobs(name, arrays)) goOn(name, look);
        } catch (const Error& error) {  // another program merges, or this one cannot write: the states are shown all the same
            if (error.code() != ErrorCode::Failure) throw;
            look.problem = error.problem();
        } catch (const storage::StorageError& error) {
            look.problem = error.problem();
        }
        if (auto now = folder.arrays(); now.size() != arrays.size()) {  // something was submitted
            arrays = std::move(now);
            queue = readSlurmQueue(look.problem);
        }
    }
    std::vector<SlurmArray> others = arrays;
    forEachKept([&](const std::string& name) {
        look.all.push_back(keptSubmission(name, arrays, queue ? &*queue : nullptr));
        std::erase_if(others, [&](const SlurmArray& array) { return contains(groupsOf(name), array.group); });
    });
    addOthers(look.all, folder, others, queue ? &*queue : nullptr);
    return look;
}

std::size_t SlurmSubmissions::cancel(const std::string& name) {
    const std::lock_guard lock(use_);
    kept_.pause(name);
    return cancelSlurmRuns(database_, groupsOf(name));
}

void SlurmSubmissions::remove(const std::string& name) {
    const std::lock_guard lock(use_);
    if (hasJobs(name, SlurmFolder(database_).arrays()))
        throwUsage("jobs of it wait or run, or are still to be merged", name, "cancel them first");
    kept_.remove(name);
}

}  // namespace heddle::app
