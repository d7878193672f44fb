// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_submissions.h"

#include "app/launch/planned_sweep.h"
#include "app/launch/slurm_launcher.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/json_member.h"
#include "engine/run/run_state.h"
#include "storage/records.h"
#include "storage/run_query.h"

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

constexpr const char* kOptionsSchema = "heddle.slurm-options/1";

void requireFileName(const std::string& name) {
    if (!isSweepName(name))
        throwUsage("the name of a sweep is that of its file", name,
                   "use a name without \"/\" that does not begin with a point");
}

Json optionsDocument(const SlurmOptions& options) {
    return {{"schema", kOptionsSchema},
            {"partition", options.partition},
            {"gres", options.gres},
            {"time", options.time},
            {"array_limit", options.arrayLimit.value_or(0)},
            {"more", options.more},
            {"scratch", options.scratch}};
}

SlurmOptions readOptions(const std::string& file) {
    const Json document = readJsonFile(file);
    constexpr const char* kNext = "remove the sweep from the list, and submit its plan anew";
    if (!document.is_object()) throwInvalid("no record of options for Slurm", file, kNext);
    const auto read = [&](const char* key, auto otherwise) {
        return memberOr(document, key, std::move(otherwise), "the record", file, kNext);
    };
    SlurmOptions options;
    options.partition = read("partition", std::string());
    options.gres = read("gres", std::string());
    options.time = read("time", std::string());
    if (const auto limit = read("array_limit", std::int64_t{0}); limit > 0) options.arrayLimit = limit;
    options.more = read("more", std::vector<std::string>());
    options.scratch = read("scratch", std::string());
    return options;
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

/// The sweeps and studies of the command line, of which only the open arrays are known.
void addOthers(std::vector<Submission>& sweeps, const SlurmFolder& folder, const std::vector<SlurmArray>& arrays,
               const SlurmQueue* queue) {
    std::map<std::string, Submission> others;
    for (const SlurmArray& array : arrays) {
        const auto isOfArray = [&](const Submission& sweep) { return sweep.group == array.group; };
        if (std::any_of(sweeps.begin(), sweeps.end(), isOfArray)) continue;
        Submission& other = others.try_emplace(array.group, Submission{array.group, array.group, false, {}}).first->second;
        for (std::size_t i = 0; i < array.runs.size(); ++i)
            if (!contains(array.ended, array.runs[i]))
                other.runs.push_back(openRun(queue, {array.job, array.taskOf(i)}, folder.titleOf(array.runs[i])));
    }
    for (auto& [group, sweep] : others) sweeps.push_back(std::move(sweep));
}

}  // namespace

SlurmSubmissions::SlurmSubmissions(const std::string& database, std::string command)
    : database_(database), command_(std::move(command)), folder_(slurmFolderOf(database)) {}

/// The names of the kept plans, sorted.
std::vector<std::string> SlurmSubmissions::names() const {
    std::vector<std::string> names;
    if (!fs::exists(folder_ + "/plans")) return names;
    for (const auto& entry : fs::directory_iterator(folder_ + "/plans"))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// Does what `heddle sweep plans/NAME.json --launcher slurm --no-wait` does. Returns the lines that it says.
std::vector<std::string> SlurmSubmissions::train(const std::string& name) const {
    std::vector<std::string> said;
    const auto say = [&said](const std::string& line) { said.push_back(line); };
    PlannedSweep sweep = openSweep(planOf(name), database_, say);
    SlurmOptions options = readOptions(optionsOf(name));
    options.after = SlurmOptions::After::Return;
    SlurmLauncher launcher({database_, command_, say, [] { return 0; }}, options);
    sweep.train(launcher, groupOfSweep(planOf(name)));
    return said;
}

std::vector<std::string> SlurmSubmissions::submit(const std::string& name, const std::vector<PlanRow>& rows,
                                                  const SlurmOptions& options) {
    requireFileName(name);
    const std::lock_guard lock(use_);
    if (fs::exists(planOf(name)))
        throwUsage("a sweep of this name was submitted already", planOf(name), "choose another name, or submit that one again");
    requireStarts(rows, planOf(name));
    writeFileAtomically(optionsOf(name), optionsDocument(options).dump(2) + "\n");
    writeFileAtomically(planOf(name), Plan{rows}.toJson().dump(2) + "\n");
    try {
        return train(name);
    } catch (...) {
        // Nothing of it was submitted, unless Slurm refused a later array of several.
        const auto arrays = SlurmFolder(database_).arrays();
        const std::string group = groupOfSweep(planOf(name));
        if (std::none_of(arrays.begin(), arrays.end(), [&](const SlurmArray& array) { return array.group == group; })) {
            fs::remove(planOf(name));
            fs::remove(optionsOf(name));
        }
        throw;
    }
}

std::vector<std::string> SlurmSubmissions::submitAgain(const std::string& name) {
    const std::lock_guard lock(use_);
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

Submission SlurmSubmissions::keptSweep(const std::string& name, const std::vector<SlurmArray>& arrays,
                                       const SlurmQueue* queue) const {
    Submission sweep{name, groupOfSweep(planOf(name)), true, {}};
    const PlannedSweep planned = openSweep(planOf(name), database_, {});
    for (const PlannedRun& run : planned.runs()) sweep.runs.push_back(stateOf(run, arrays, queue));
    return sweep;
}

SubmissionsLook SlurmSubmissions::look() {
    const std::lock_guard lock(use_);
    SubmissionsLook look;
    const SlurmFolder folder(database_);
    std::vector<SlurmArray> arrays = folder.arrays();
    std::optional<SlurmQueue> queue;
    if (!arrays.empty()) queue = readSlurmQueue(look.problem);
    if (queue) {
        try {
            SlurmArrays own(database_, "heddle " + command_);
            merge(own, *queue, look);
            arrays = own.all();
        } catch (const Error& error) {  // another program merges, or this one cannot write: the states are shown all the same
            if (error.code() != ErrorCode::Failure) throw;
            look.problem = error.problem();
        } catch (const storage::StorageError& error) {
            look.problem = error.problem();
        }
    }
    for (const std::string& name : names()) try {
            look.sweeps.push_back(keptSweep(name, arrays, queue ? &*queue : nullptr));
        } catch (const Error& error) {  // the others are watched
            if (error.code() != ErrorCode::InvalidInput) throw;
            look.problem = fmt::format("{} ({}): {}", error.problem(), error.where(), error.next());
        }
    addOthers(look.sweeps, folder, arrays, queue ? &*queue : nullptr);
    return look;
}

std::size_t SlurmSubmissions::cancel(const std::string& group) { return cancelSlurmRuns(database_, {group}); }

void SlurmSubmissions::remove(const std::string& name) {
    requireFileName(name);
    const std::lock_guard lock(use_);
    const std::string group = groupOfSweep(planOf(name));
    for (const SlurmArray& array : SlurmFolder(database_).arrays())
        if (array.group == group)
            throwUsage("jobs of this sweep wait or run, or are still to be merged", name, "cancel them first");
    fs::remove(planOf(name));
    fs::remove(optionsOf(name));
}

}  // namespace heddle::app
