// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_launcher.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"
#include "storage/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <utility>

namespace heddle::app {
namespace {

/// The largest array that Slurm takes unless its MaxArraySize was changed.
constexpr std::size_t kLargestArray = 1000;
/// Exit code of a command that must be given again.
constexpr int kAgain = 75;

SlurmQueue queueNow() {
    std::string problem;
    if (auto queue = readSlurmQueue(problem)) return std::move(*queue);
    throw Error(ErrorCode::Failure, "Slurm does not answer: " + problem, "squeue", "give the command again when it does");
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
    const Watched* start = nullptr;  ///< the one that it starts from, if that one is to be trained, too
    bool isOpen() const { return at == At::Waiting || at == At::Running || at == At::Ended; }
    bool hasJob() const { return at == At::Waiting || at == At::Running; }
    /// Whether its job waits for one of its start that ended before the run did: Slurm will cancel it, sooner or later.
    bool waitsInVain() const { return at == At::Waiting && start && (start->at == At::New || start->at == At::Unfinished); }
    /// Whether its start has ended without a checkpoint to start from.
    bool hasLostStart() const { return start && (start->at == At::Failed || start->at == At::Unfinished); }
};

SlurmLauncher::SlurmLauncher(Place place, SlurmOptions options)
    : place_(std::move(place)), options_(std::move(options)), arrays_(place_.database, "heddle " + place_.command) {}

void SlurmLauncher::require(const std::vector<PlannedRun>&) const { queueNow(); }

void SlurmLauncher::tellFailure(const Watched& one, const std::string& why) {
    place_.say(one.run->title() + ": " + failureText(arrays_.folder(), one.key, one.task, why));
}

/// Merges the run of a job that has ended. Returns false while a database is busy, or while the end of the job of its start is
/// not handled, which may be the reason for its own.
bool SlurmLauncher::settle(Watched& one) {
    if (one.start && one.start->at == Watched::At::Ended) return false;
    const MergedRun merged = arrays_.tryMerge(one.key, one.group);
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
    if (one.at == Watched::At::Unfinished && one.hasLostStart())
        place_.say(fmt::format("{} was not trained: it starts from {}, which {}", one.run->title(), one.start->run->title(),
                               one.start->at == Watched::At::Failed ? "failed" : "has not completed"));
    else if (one.at == Watched::At::Unfinished)
        tellFailure(one, "its job ended before the run: " + merged.why);
    if (isMerged) arrays_.folder().setMerged(one.key);
    arrays_.close(one.key);
    return true;
}

/// Merges runs of the group that are not asked for now: a command merged them and ended before it could record that, or the
/// question has been answered without them.
void SlurmLauncher::settleOthers(const std::vector<Watched>& runs, const SlurmQueue& queue, const std::string& group) {
    std::vector<std::string> ended;
    for (const SlurmArray& array : arrays_.all()) {
        if (array.group != group) continue;
        for (std::size_t i = 0; i < array.runs.size(); ++i) {
            const std::string& key = array.runs[i];
            const bool isAsked = std::any_of(runs.begin(), runs.end(), [&](const Watched& one) { return one.key == key; });
            const SlurmTask task{array.job, array.taskOf(i)};
            if (!isAsked && !contains(array.ended, key) && queue.stateOf(task).life == SlurmLife::Ended) ended.push_back(key);
        }
    }
    for (const std::string& key : ended) {
        const MergedRun merged = arrays_.tryMerge(key, group);
        if (merged.end == MergedRun::End::Busy) continue;
        if (merged.end == MergedRun::End::Merged) arrays_.folder().setMerged(key);
        if (merged.end == MergedRun::End::Unfinished)
            place_.say(fmt::format("not merged, {}: {}", printable(arrays_.folder().folderOf(key)), printable(merged.why)));
        arrays_.close(key);
    }
}

/// Submits the runs that can begin, and those that can when a job has ended: each in a task of the number that the task of its
/// start has, because a task can wait only for that one. The runs that start from one run are in as many arrays. Leaves out
/// runs whose start has neither completed nor a job.
void SlurmLauncher::submit(std::vector<Watched*> runs, const std::string& group) {
    const auto cannotBegin = [](const Watched* one) {
        return one->run->waitsForStart() && !(one->start && one->start->hasJob());
    };
    while (true) {
        std::map<std::pair<std::int64_t, std::size_t>, std::vector<Watched*>> arrays;
        std::map<SlurmTask, std::size_t> startedFrom;
        std::size_t ready = 0;
        const auto rest = std::stable_partition(runs.begin(), runs.end(), cannotBegin);
        for (auto one = rest; one != runs.end(); ++one) {
            if (!(*one)->run->waitsForStart())
                arrays[{0, ready++ / kLargestArray}].push_back(*one);
            else
                arrays[{(*one)->start->task.job, startedFrom[(*one)->start->task]++}].push_back(*one);
        }
        runs.erase(rest, runs.end());
        if (arrays.empty()) return;
        for (const auto& [place, members] : arrays) submitArray(members, place.first, group);
    }
}

/// `after`: the job of whose tasks each waits for the one of its start; 0: they wait for none.
void SlurmLauncher::submitArray(const std::vector<Watched*>& runs, std::int64_t after, const std::string& group) {
    SlurmArray array{"heddle-" + storage::newRunId(), group, storage::unixTime(), 0, {}, {}};
    array.after = after;
    const SlurmFolder& folder = arrays_.folder();
    std::vector<const PlannedRun*> planned;
    for (const Watched* one : runs) {
        folder.prepare(one->key, *one->run);
        array.runs.push_back(one->key);
        planned.push_back(one->run);
        if (after == 0) continue;
        array.tasks.push_back(one->start->task.index);
        array.startsIn[one->key] = one->start->key;
    }
    folder.write(array);
    try {
        array.job = submitToSlurm(sbatchArguments(array, planned, folder, options_));
    } catch (...) {
        array.ended = array.runs;
        folder.write(array);
        throw;
    }
    folder.write(array);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i]->at = Watched::At::Waiting;
        runs[i]->task = {array.job, array.taskOf(i)};
        runs[i]->run->wasBegun = true;
    }
    place_.say(fmt::format("submitted {} run{} as job {}{}", runs.size(), runs.size() == 1 ? "" : "s", array.job,
                           after == 0 ? "" : fmt::format(", each after its start in job {}", after)));
    arrays_.add(std::move(array));
}

/// Notes what Slurm says of the jobs of `runs`, and merges the runs whose jobs have ended. A job counts as ended only when two
/// looks have found that it has: what it wrote last may reach this machine later than the news of its end.
void SlurmLauncher::look(std::vector<Watched>& runs, const SlurmQueue& queue) {
    bool isAnySettled = false;
    for (Watched& one : runs) {
        if (!one.isOpen()) continue;
        const SlurmState state = queue.stateOf(one.task);
        one.node = state.node;
        if (state.life == SlurmLife::Ended && one.at == Watched::At::Ended) {
            isAnySettled = settle(one) || isAnySettled;
        } else {
            one.at = state.life == SlurmLife::Running   ? Watched::At::Running
                     : state.life == SlurmLife::Waiting ? Watched::At::Waiting
                                                        : Watched::At::Ended;
        }
    }
    if (isAnySettled) arrays_.forgetMerged();
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

/// The runs that are not done, each after the one that it starts from.
std::vector<SlurmLauncher::Watched> SlurmLauncher::watched(const std::vector<PlannedRun*>& due, const std::string& group) {
    std::vector<Watched> runs;
    for (PlannedRun* run : due)
        if (!run->isDone()) runs.push_back({run, workKey(*run), group});
    std::map<std::string, const PlannedRun*> byKey;
    for (const Watched& one : runs) byKey[one.key] = one.run;
    const auto depth = [&](const PlannedRun* run) {
        std::size_t steps = 0;
        for (auto start = byKey.end(); run->waitsForStart(); run = start->second, ++steps)
            if (start = byKey.find(run->start->key); start == byKey.end()) break;
        return steps;
    };
    std::stable_sort(runs.begin(), runs.end(), [&](const Watched& a, const Watched& b) { return depth(a.run) < depth(b.run); });
    std::map<std::string, const Watched*> starts;
    for (Watched& one : runs) {
        starts[one.key] = &one;
        if (!one.run->waitsForStart()) continue;
        const auto start = starts.find(one.run->start->key);
        if (start != starts.end()) one.start = start->second;
    }
    return runs;
}

int SlurmLauncher::train(std::vector<PlannedRun*> due, const std::string& group) {
    std::vector<Watched> runs = watched(due, group);
    const SlurmQueue queue = queueNow();
    arrays_.adopt(queue);
    settleOthers(runs, queue, group);
    std::vector<Watched*> fresh;
    for (Watched& one : runs) {
        if (const auto task = openTask(arrays_.all(), one.key)) {
            one.run->wasBegun = true;
            one.task = *task;
            one.at = Watched::At::Ended;
            if (queue.stateOf(one.task).life != SlurmLife::Ended) one.at = Watched::At::Waiting;
            if (one.waitsInVain()) {
                cancelInSlurm({one.task.text()});
                arrays_.close(one.key);
                one.at = Watched::At::New;
            }
            if (one.at == Watched::At::Ended && !settle(one)) continue;
        }
        if (one.at == Watched::At::New || one.at == Watched::At::Unfinished) fresh.push_back(&one);
    }
    arrays_.forgetMerged();
    const bool isAnyFresh = !fresh.empty();
    submit(std::move(fresh), group);
    if (isAnyFresh) look(runs, queueNow());
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
