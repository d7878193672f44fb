// SPDX-License-Identifier: Apache-2.0
#include "app/session/checkpoint_folders.h"

#include "engine/spec/error.h"
#include "engine/spec/json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace heddle::app {

namespace fs = std::filesystem;
using storage::CheckpointRecord;

std::string checkpointProblem(const std::string& artifacts, const CheckpointRecord& checkpoint) {
    const std::pair<const char*, const std::string*> files[] = {{"weights.safetensors", &checkpoint.weightsSha256},
                                                                {"optimizer.safetensors", &checkpoint.optimizerSha256},
                                                                {"state.json", &checkpoint.stateSha256}};
    for (const auto& [name, recorded] : files) {
        const fs::path file = fs::path(artifacts) / checkpoint.folder / name;
        if (!fs::is_regular_file(file)) return fmt::format("{} is missing", file.string());
        try {
            if (sha256OfFile(file) != *recorded)
                return fmt::format("{} is damaged: its SHA-256 is not the recorded one", file.string());
        } catch (const Error& error) {
            return error.what();
        }
    }
    return {};
}

CheckpointChoice newestVerified(const std::string& artifacts, std::vector<CheckpointRecord> checkpoints) {
    std::stable_sort(checkpoints.begin(), checkpoints.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
    CheckpointChoice choice;
    std::set<std::string> seen;
    for (const auto& candidate : checkpoints) {
        if (!seen.insert(candidate.folder).second) continue;
        const std::string problem = checkpointProblem(artifacts, candidate);
        if (problem.empty()) {
            choice.checkpoint = candidate;
            return choice;
        }
        choice.skipped.push_back(problem);
    }
    return choice;
}

Retention planRetention(const std::vector<CheckpointRecord>& checkpoints, std::int64_t keepLast) {
    std::vector<CheckpointRecord> newestFirst = checkpoints;
    std::stable_sort(newestFirst.begin(), newestFirst.end(),
                     [](const auto& a, const auto& b) { return std::pair(a.step, a.attempt) > std::pair(b.step, b.attempt); });
    std::map<std::string, std::int64_t> kept;  // by kind
    std::set<std::pair<std::string, std::int64_t>> seen;
    std::set<std::string> needed;
    Retention plan;
    for (const auto& row : newestFirst) {
        if (!seen.emplace(row.kind, row.step).second) continue;  // written again by a resumed attempt: one row to storage
        const std::int64_t allowed = row.kind == "step" ? std::max<std::int64_t>(keepLast, 1) : 1;
        if (kept[row.kind] < allowed) {
            ++kept[row.kind];
            needed.insert(row.folder);
        } else {
            plan.rows.push_back(row);
        }
    }
    std::set<std::string> going;
    for (const auto& row : plan.rows)
        if (!needed.contains(row.folder)) going.insert(row.folder);
    plan.folders.assign(going.begin(), going.end());
    return plan;
}

void discardFolder(const std::string& folder) {
    static std::atomic<unsigned> number = 0;
    const fs::path path = folder;
    if (!fs::exists(path)) return;
    const fs::path trash = path.parent_path() / fmt::format(".trash-{}-{}-{}", path.filename().string(), getpid(), ++number);
    fs::rename(path, trash);
    fs::remove_all(trash);
}

void sweepRunFolder(const std::string& artifacts, const std::string& run, const std::vector<CheckpointRecord>& checkpoints) {
    const fs::path folder = fs::path(artifacts) / run;
    if (!fs::is_directory(folder)) return;
    std::set<fs::path> known;
    for (const auto& row : checkpoints) known.insert((fs::path(artifacts) / row.folder).lexically_normal());
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool temporary = name.rfind(".tmp-", 0) == 0 || name.rfind(".trash-", 0) == 0;
        const bool unknown = name.rfind("step-", 0) == 0 && !known.contains(entry.path().lexically_normal());
        if (entry.is_directory() && (temporary || unknown)) leftovers.push_back(entry.path());
    }
    for (const auto& leftover : leftovers) {
        if (leftover.filename().string().front() == '.')
            fs::remove_all(leftover);
        else
            discardFolder(leftover);
    }
}

}  // namespace heddle::app
