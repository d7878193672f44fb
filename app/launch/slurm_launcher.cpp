// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_launcher.h"

#include "app/session/process/paths.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"
#include "storage/records.h"
#include "storage/writer_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

namespace heddle::app {
namespace {

/// The largest array that Slurm takes unless its MaxArraySize was changed.
constexpr std::size_t kLargestArray = 1000;
/// Exit code of a command that must be given again.
constexpr int kAgain = 75;
/// Seconds before the end of a job's time at which it is warned; --sbatch "--signal=B:USR1@N" replaces it.
constexpr int kWarning = 60;

std::string titleOf(const PlannedRun& run) { return fmt::format("{}, seed {}", printable(run.spec.name), run.spec.seed); }

/// The path as sbatch reads it in --output, where % begins a pattern.
std::string withoutPatterns(std::string path) {
    for (std::size_t at = 0; (at = path.find('%', at)) != std::string::npos; at += 2) path.insert(at, 1, '%');
    return path;
}

/// The cores that a job needs: the highest number of threads of these runs. Nothing if one of them uses all cores of a machine.
std::optional<std::int64_t> coresOf(const std::vector<const PlannedRun*>& runs) {
    std::int64_t most = 0;
    for (const PlannedRun* run : runs) {
        if (run->spec.train.threads <= 0) return std::nullopt;
        most = std::max(most, run->spec.train.threads);
    }
    return most;
}

SlurmQueue queueNow() {
    std::string problem;
    if (auto queue = readSlurmQueue(problem)) return std::move(*queue);
    throw Error(ErrorCode::Failure, "Slurm does not answer: " + problem, "squeue", "give the command again when it does");
}

std::unique_ptr<storage::WriterLock> lockOf(const SlurmLauncher::Place& place) {
    const std::string folder = slurmFolderOf(place.database);
    try {
        return std::make_unique<storage::WriterLock>(folder, "heddle " + place.command, 0);
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        throw Error(ErrorCode::Failure, "another command submits or watches jobs of this database", folder + ".lock",
                    "end it, its jobs go on; --cancel works beside it");
    }
}

}  // namespace

/// A run that is to be trained, and what is known of it.
struct SlurmLauncher::Watched {
    PlannedRun* run;
    std::string key, group;
    /// Ended: its job has. Failed: the run has, and is in the study's database. Unfinished: its job ended before the run did.
    enum class At { New, Waiting, Running, Ended, Merged, Failed, Unfinished } at = At::New;
    SlurmTask task = {};
    std::string node = {};
    bool isOpen() const { return at == At::Waiting || at == At::Running || at == At::Ended; }
};

SlurmLauncher::SlurmLauncher(Place place, SlurmOptions options)
    : place_(std::move(place)), options_(std::move(options)), lock_(lockOf(place_)), folder_(place_.database) {
    folder_.create();
    arrays_ = folder_.arrays();
}

SlurmLauncher::~SlurmLauncher() = default;

void SlurmLauncher::require(const std::vector<PlannedRun>&) const { queueNow(); }

/// Finds the jobs of arrays whose number was not recorded, since the command ended while it submitted them. A job has the name
/// of its array.
void SlurmLauncher::adopt(const SlurmQueue& queue) {
    for (SlurmArray& array : arrays_) {
        if (array.job != 0) continue;
        const auto found = queue.jobs.find(array.name);
        if (found == queue.jobs.end()) continue;
        array.job = found->second;
        folder_.write(array);
    }
}

/// The newest task of a run among those whose end was not handled yet; nothing if there is none.
std::optional<SlurmTask> SlurmLauncher::submitted(const std::string& key) const {
    const auto array = std::find_if(arrays_.rbegin(), arrays_.rend(), [&](const SlurmArray& one) {
        return contains(one.runs, key) && !contains(one.ended, key);
    });
    if (array == arrays_.rend()) return std::nullopt;
    return SlurmTask{array->job, std::find(array->runs.begin(), array->runs.end(), key) - array->runs.begin() + 1};
}

/// Records that the end of the run's job was handled.
void SlurmLauncher::close(const std::string& key) {
    for (SlurmArray& array : arrays_) {
        if (!contains(array.runs, key) || contains(array.ended, key)) continue;
        array.ended.push_back(key);
        folder_.write(array);
    }
    std::erase_if(arrays_, [](const SlurmArray& array) { return array.ended.size() == array.runs.size(); });
}

void SlurmLauncher::tellFailure(const Watched& one, const std::string& why) {
    const std::string state = one.task.job == 0 ? "" : lastStateOf(one.task);
    place_.say(fmt::format("{}: {} (job {}{}{}); the last lines of {}:\n{}", titleOf(*one.run), printable(why), one.task.text(),
                           state.empty() ? "" : ": ", printable(state), printable(folder_.logOf(one.key)),
                           folder_.lastLinesOf(one.key)));
}

/// Calls mergeRun(). A damaged run counts as unfinished, and its damage is the reason.
MergedRun SlurmLauncher::tryMerge(const std::string& key, const std::string& group) const {
    try {
        return mergeRun(folder_.databaseOf(key), place_.database, group);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidInput) throw;
        return {MergedRun::End::Unfinished, "", "", fmt::format("{} ({}): {}", error.problem(), error.where(), error.next())};
    }
}

/// Merges the run of a job that has ended. Returns false while a database is busy.
bool SlurmLauncher::settle(Watched& one) {
    const MergedRun merged = tryMerge(one.key, one.group);
    if (merged.end == MergedRun::End::Busy) {
        if (busy_ != merged.why) place_.say("waits to merge a run: " + printable(merged.why));
        busy_ = merged.why;
        return false;
    }
    const bool isMerged = merged.end == MergedRun::End::Merged;
    if (isMerged) {
        one.run->id = merged.run;
        one.run->state = merged.state;
    }
    one.at = !isMerged ? Watched::At::Unfinished : one.run->isDone() ? Watched::At::Merged : Watched::At::Failed;
    if (one.at == Watched::At::Failed) tellFailure(one, "the run failed");
    if (one.at == Watched::At::Unfinished) tellFailure(one, "its job ended before the run: " + merged.why);
    if (isMerged) folder_.forget(one.key);
    close(one.key);
    return true;
}

/// Merges runs of the group that are not asked for now: a command merged them and ended before it could record that, or the
/// question has been answered without them.
void SlurmLauncher::settleOthers(const std::vector<Watched>& runs, const SlurmQueue& queue, const std::string& group) {
    std::vector<std::string> ended;
    for (const SlurmArray& array : arrays_) {
        if (array.group != group) continue;
        for (std::size_t i = 0; i < array.runs.size(); ++i) {
            const std::string& key = array.runs[i];
            const bool isAsked = std::any_of(runs.begin(), runs.end(), [&](const Watched& one) { return one.key == key; });
            const SlurmTask task{array.job, std::int64_t(i) + 1};
            if (!isAsked && !contains(array.ended, key) && queue.stateOf(task).life == SlurmLife::Ended) ended.push_back(key);
        }
    }
    for (const std::string& key : ended) {
        const MergedRun merged = tryMerge(key, group);
        if (merged.end == MergedRun::End::Busy) continue;
        if (merged.end == MergedRun::End::Merged) folder_.forget(key);
        if (merged.end == MergedRun::End::Unfinished)
            place_.say(fmt::format("not merged, {}: {}", printable(folder_.folderOf(key)), printable(merged.why)));
        close(key);
    }
}

void SlurmLauncher::submit(const std::vector<Watched*>& runs, const std::string& group) {
    for (std::size_t first = 0; first < runs.size(); first += kLargestArray) {
        const std::size_t last = std::min(first + kLargestArray, runs.size());
        SlurmArray array{"heddle-" + storage::newRunId(), group, storage::unixTime(), 0, {}, {}};
        std::vector<const PlannedRun*> planned;
        for (std::size_t i = first; i < last; ++i) {
            folder_.prepare(runs[i]->key, runs[i]->run->spec);
            array.runs.push_back(runs[i]->key);
            planned.push_back(runs[i]->run);
        }
        folder_.write(array);
        const std::string limit = options_.arrayLimit ? fmt::format("%{}", *options_.arrayLimit) : "";
        std::vector<std::string> arguments{"--job-name=" + array.name,
                                           fmt::format("--array=1-{}{}", array.runs.size(), limit),
                                           "--requeue",
                                           fmt::format("--signal=B:USR1@{}", kWarning),
                                           "--open-mode=append",
                                           "--output=" + withoutPatterns(folder_.linksOf(array)) + "/%a/log.txt"};
        if (const auto cores = coresOf(planned)) arguments.push_back(fmt::format("--cpus-per-task={}", *cores));
        const auto add = [&](const char* option, const std::string& value) {
            if (!value.empty()) arguments.push_back(option + value);
        };
        add("--partition=", options_.partition);
        add("--gres=", options_.gres);
        add("--time=", options_.time);
        arguments.insert(arguments.end(), options_.more.begin(), options_.more.end());
        for (const std::string& one : {folder_.script(), folder_.linksOf(array), programFolder() + "/heddle", options_.scratch})
            arguments.push_back(one);
        try {
            array.job = submitToSlurm(arguments);
        } catch (...) {
            array.ended = array.runs;
            folder_.write(array);
            throw;
        }
        folder_.write(array);
        for (std::size_t i = first; i < last; ++i) {
            runs[i]->at = Watched::At::Waiting;
            runs[i]->task = {array.job, std::int64_t(i - first) + 1};
        }
        place_.say(fmt::format("submitted {} run{} as job {}", planned.size(), planned.size() == 1 ? "" : "s", array.job));
        arrays_.push_back(std::move(array));
    }
}

/// Notes what Slurm says of the jobs of `runs`, and merges the runs whose jobs have ended. A job counts as ended only when two
/// looks have found that it has: what it wrote last may reach this machine later than the news of its end.
void SlurmLauncher::look(std::vector<Watched>& runs, const SlurmQueue& queue) {
    for (Watched& one : runs) {
        if (!one.isOpen()) continue;
        const SlurmState state = queue.stateOf(one.task);
        one.node = state.node;
        if (state.life == SlurmLife::Ended && one.at == Watched::At::Ended) {
            settle(one);
        } else {
            one.at = state.life == SlurmLife::Running   ? Watched::At::Running
                     : state.life == SlurmLife::Waiting ? Watched::At::Waiting
                                                        : Watched::At::Ended;
        }
    }
}

void SlurmLauncher::tellCounts(const std::vector<Watched>& runs) {
    std::size_t merged = 0, failed = 0, waiting = 0, running = 0;
    std::set<std::string> nodes;
    for (const Watched& one : runs) {
        merged += one.at == Watched::At::Merged;
        failed += one.at == Watched::At::Failed || one.at == Watched::At::Unfinished;
        waiting += one.at == Watched::At::Waiting;
        running += one.at == Watched::At::Running || one.at == Watched::At::Ended;
        if (one.at == Watched::At::Running) nodes.insert(one.node);
    }
    const std::string counts =
        fmt::format("{} run{}: {} done, {} failed, {} running{}, {} waiting", runs.size(), runs.size() == 1 ? "" : "s", merged,
                    failed, running, nodes.size() < 2 ? "" : fmt::format(" on {} nodes", nodes.size()), waiting);
    if (counts != counts_) place_.say(counts);
    counts_ = counts;
}

/// Waits until it is time to look again. Returns the exit code if the command must end now, else 0.
int SlurmLauncher::sleep() const {
    constexpr std::chrono::milliseconds kStep{100};
    for (std::chrono::milliseconds slept{0}; slept < options_.poll; slept += kStep) {
        if (const int code = place_.stopCode(); code != 0) return code;
        std::this_thread::sleep_for(kStep);
    }
    return place_.stopCode();
}

int SlurmLauncher::watch(std::vector<Watched>& runs) {
    std::string problem;
    const auto isOpen = [&] { return std::any_of(runs.begin(), runs.end(), [](const Watched& one) { return one.isOpen(); }); };
    for (tellCounts(runs); isOpen(); tellCounts(runs)) {
        if (options_.after == SlurmOptions::After::Return) return kAgain;
        if (const int code = sleep(); code != 0) {
            place_.say("the jobs go on; the same command watches them again, and with --cancel it ends them");
            return code;
        }
        std::string now;
        const auto queue = readSlurmQueue(now);
        if (now != problem && !now.empty()) place_.say("Slurm does not answer, watching goes on: " + printable(now));
        problem = now;
        if (queue) look(runs, *queue);
    }
    return 0;
}

int SlurmLauncher::train(std::vector<PlannedRun*> due, const std::string& group) {
    std::vector<Watched> runs;
    for (PlannedRun* run : due)
        if (!run->isDone()) runs.push_back({run, slurmKey(run->spec), group});
    const SlurmQueue queue = queueNow();
    adopt(queue);
    settleOthers(runs, queue, group);
    std::vector<Watched*> fresh;
    for (Watched& one : runs) {
        if (const auto task = submitted(one.key)) {
            one.task = *task;
            one.at = Watched::At::Ended;
            if (queue.stateOf(one.task).life != SlurmLife::Ended) one.at = Watched::At::Waiting;
            if (one.at == Watched::At::Ended && !settle(one)) continue;
        }
        if (one.at == Watched::At::New || one.at == Watched::At::Unfinished) fresh.push_back(&one);
    }
    submit(fresh, group);
    if (!fresh.empty()) look(runs, queueNow());
    return runs.empty() ? 0 : watch(runs);
}

std::size_t cancelSlurmRuns(const std::string& database, const std::vector<std::string>& groups) {
    const SlurmQueue queue = queueNow();
    std::vector<std::string> jobs;
    std::size_t count = 0;
    for (const SlurmArray& array : SlurmFolder(database).arrays()) {
        const auto named = queue.jobs.find(array.name);
        if (!contains(groups, array.group) || named == queue.jobs.end()) continue;
        const auto alive = std::count_if(queue.tasks.begin(), queue.tasks.end(), [&](const auto& one) {
            return one.first.job == named->second && one.second.life != SlurmLife::Ended;
        });
        if (alive > 0) jobs.push_back(std::to_string(named->second));
        count += std::size_t(alive);
    }
    cancelInSlurm(jobs);
    return count;
}

}  // namespace heddle::app
