// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_merge.h"

#include "app/session/recorder/ownership.h"
#include "app/session/requests/transfer.h"
#include "app/session/runs/checkpoint_folders.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/run/run_state.h"
#include "storage/database_report.h"
#include "storage/run_query.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

void requireUndamaged(const std::vector<std::string>& problems, const std::string& where, const std::string& next) {
    if (problems.empty()) return;
    throwInvalid(problems.size() == 1 ? problems.front()
                                      : fmt::format("{}, and {} more problems", problems.front(), problems.size() - 1),
                 where, next);
}

/// A run that starts from a run of the database `to` gets that one as its parent. So does one that starts from a checkpoint in
/// the folder of another job, and names that run's copy in its place: `to` has it, or will have it, with the same id.
void nameStart(storage::RunRecord& run, const std::string& from, const std::string& to) {
    if (run.damaged) return;
    Json spec = parseJson(run.spec, "run " + run.id);
    const Json::json_pointer place("/train/start/checkpoint");
    const fs::path checkpoint = spec.value(place, ""), copies = storage::artifactFolder(fs::absolute(to).string());
    const fs::path others = checkpoint.parent_path().parent_path();  // KEY/data/runs.heddle.d, if it is in the folder of a job
    const auto above = [](const fs::path& inData) { return inData.parent_path().parent_path().parent_path(); };
    std::string start = runOfCheckpoint(checkpoint.string(), copies.string());
    if (start.empty() && above(others) == above(fs::absolute(from)))
        start = runOfCheckpoint(checkpoint.string(), others.string());
    if (start.empty()) return;
    spec[place] = (copies / start / checkpoint.filename()).lexically_normal().string();
    run.spec = canonicalJson(spec);
    run.lineage = start;
}

/// Looks whether the run of a job's database has ended. If so, checks that it is undamaged, and gives it the study's group.
MergedRun labelled(const std::string& from, const std::string& to, const std::string& group) {
    const auto store = openAsOwner(from, {"heddle, merging", 0});
    const auto query = storage::RunQuery::open(from);
    auto runs = query->runs();
    const auto ended = std::find_if(runs.begin(), runs.end(), [](const storage::RunRecord& run) {
        return run.damaged || run.state == name(RunState::Completed) || run.state == name(RunState::Failed);
    });
    if (ended == runs.end())
        return {MergedRun::End::Unfinished, "", "",
                runs.empty() ? "its job had not begun to train"
                             : fmt::format("the run is {} at step {}", runs.back().state, runs.back().step)};
    std::vector<std::string> problems = storage::verifyDatabase(from, {}).problems;
    for (std::string& problem : checkpointProblems(*query, storage::artifactFolder(from)))
        problems.push_back(std::move(problem));
    requireUndamaged(problems, fs::path(from).parent_path().string(),
                     "remove this folder, and give the command again to train the run anew");
    ended->group = group;
    nameStart(*ended, from, to);
    store->begin();
    store->updateRun(*ended);
    store->commit(storage::RunStore::Durability::Full);
    return {MergedRun::End::Merged, ended->id, ended->state, ""};
}

}  // namespace

MergedRun mergeRun(const std::string& from, const std::string& to, const std::string& group) {
    using Kind = storage::StorageError::Kind;
    if (!fs::exists(from)) return {MergedRun::End::Unfinished, "", "", "its job recorded nothing"};
    MergedRun merged;
    try {
        merged = labelled(from, to, group);
    } catch (const storage::StorageError& error) {
        return {error.kind() == Kind::Locked ? MergedRun::End::Busy : MergedRun::End::Unfinished, "", "", error.problem()};
    }
    if (merged.end != MergedRun::End::Merged) return merged;
    try {
        copyRuns(from, to, {merged.run});
    } catch (const storage::StorageError& error) {
        if (error.kind() != Kind::Locked) throw;
        return {MergedRun::End::Busy, "", "", fmt::format("{}: {}", to, error.problem())};
    }
    std::vector<std::string> problems;
    for (const auto& checkpoint : storage::RunQuery::open(to)->checkpoints(merged.run))
        if (std::string problem = checkpointProblem(storage::artifactFolder(to), checkpoint); !problem.empty())
            problems.push_back(std::move(problem));
    requireUndamaged(
        problems, to,
        fmt::format("check the disk of this database, remove the copy with heddle runs delete {}, and give the command again",
                    merged.run));
    return merged;
}

}  // namespace heddle::app
