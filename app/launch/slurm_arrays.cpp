// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_arrays.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "storage/writer_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle::app {
namespace {

std::unique_ptr<storage::WriterLock> lockOf(const std::string& database, const std::string& owner) {
    const std::string folder = slurmFolderOf(database);
    try {
        return std::make_unique<storage::WriterLock>(folder, owner, 0);
    } catch (const storage::StorageError& error) {
        if (error.kind() != storage::StorageError::Kind::Locked) throw;
        throw Error(ErrorCode::Failure, "another program submits or watches jobs of this database", folder + ".lock",
                    "end it, its jobs go on; --cancel works beside it");
    }
}

}  // namespace

SlurmArrays::SlurmArrays(const std::string& database, const std::string& owner)
    : database_(database), lock_(lockOf(database, owner)), folder_(database) {
    folder_.create();
    arrays_ = folder_.arrays();
}

SlurmArrays::~SlurmArrays() = default;

void SlurmArrays::adopt(const SlurmQueue& queue) {
    for (SlurmArray& array : arrays_) {
        if (array.job != 0) continue;
        const auto found = queue.jobs.find(array.name);
        if (found == queue.jobs.end()) continue;
        array.job = found->second;
        folder_.write(array);
    }
}

MergedRun SlurmArrays::tryMerge(const std::string& key, const std::string& group) const {
    try {
        return mergeRun(folder_.databaseOf(key), database_, group);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidInput) throw;
        return {MergedRun::End::Unfinished, "", "", fmt::format("{} ({}): {}", error.problem(), error.where(), error.next())};
    }
}

void SlurmArrays::close(const std::string& key) {
    for (SlurmArray& array : arrays_) {
        if (!contains(array.runs, key) || contains(array.ended, key)) continue;
        array.ended.push_back(key);
        folder_.write(array);
    }
    std::erase_if(arrays_, [](const SlurmArray& array) { return array.ended.size() == array.runs.size(); });
}

void SlurmArrays::forgetMerged() const {
    std::set<std::string> needed;
    for (const SlurmArray& array : arrays_)
        for (const auto& [run, start] : array.startsIn)
            if (!contains(array.ended, run)) needed.insert(start);
    folder_.forgetMerged(needed);
}

std::optional<SlurmTask> openTask(const std::vector<SlurmArray>& arrays, const std::string& key) {
    const auto array = std::find_if(arrays.rbegin(), arrays.rend(), [&](const SlurmArray& one) {
        return contains(one.runs, key) && !contains(one.ended, key);
    });
    if (array == arrays.rend()) return std::nullopt;
    return SlurmTask{array->job,
                     array->taskOf(std::size_t(std::find(array->runs.begin(), array->runs.end(), key) - array->runs.begin()))};
}

std::string failureText(const SlurmFolder& folder, const std::string& key, const SlurmTask& task, const std::string& why) {
    const std::string state = task.job == 0 ? "" : lastStateOf(task);
    return fmt::format("{} (job {}{}{}); the last lines of {}:\n{}", printable(why), task.text(), state.empty() ? "" : ": ",
                       printable(state), printable(folder.logOf(key)), folder.lastLinesOf(key));
}

}  // namespace heddle::app
