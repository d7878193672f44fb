// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/checkpoint_folders.h"

#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/sha256.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace heddle::app {

namespace fs = std::filesystem;
using storage::CheckpointRecord;

namespace {

constexpr std::string_view kImport = ".tmp-import";

/// ".trash-RUN-…" of discardFolder(), and "RUN.tmp-import" of an unfinished import.
bool isLeftover(std::string_view name) {
    constexpr std::string_view kTrash = ".trash-";
    constexpr std::size_t kId = 12;
    if (name.starts_with(kTrash) && name.size() > kTrash.size() + kId)
        return storage::isRunId(name.substr(kTrash.size(), kId)) && name[kTrash.size() + kId] == '-';
    return name.ends_with(kImport) && storage::isRunId(name.substr(0, kId)) && name.size() == kId + kImport.size();
}

/// An unfinished or half-removed checkpoint in a run's folder.
bool isUnfinished(std::string_view name) { return name.starts_with(".tmp-") || name.starts_with(".trash-"); }

}  // namespace

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
        if (!seen.emplace(row.kind, row.step).second) continue;  // rewritten by a resumed attempt; storage has one row for it
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

void linkMissing(const std::string& from, const std::string& to, const std::string& run) {
    const fs::path source = fs::path(from) / requireRunId(run), target = fs::path(to) / run;
    if (!fs::is_directory(source)) return;
    fs::create_directories(target);
    for (const auto& entry : fs::directory_iterator(source)) {
        const fs::path link = target / entry.path().filename();
        if (fs::exists(link)) continue;
        try {
            fs::copy(entry.path(), link, fs::copy_options::recursive | fs::copy_options::create_hard_links);
        } catch (const fs::filesystem_error&) {  // another file system or no hard links
            fs::copy(entry.path(), link, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
        }
    }
}

void sweepArtifacts(const std::string& artifacts, storage::RunQuery& query) {
    std::set<std::string> known, deleted;
    for (const auto& run : query.runs()) known.insert(run.id);
    for (const auto& run : query.deletedRuns()) deleted.insert(run.id);
    std::error_code failure;
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(artifacts, failure)) {
        const std::string name = entry.path().filename().string();
        const bool isDeletedRun = deleted.contains(name) && !known.contains(name) && storage::isRunId(name);
        if (entry.is_symlink(failure) || !entry.is_directory(failure)) continue;
        if (isDeletedRun || isLeftover(name)) leftovers.push_back(entry.path());
        if (!known.contains(name) || !storage::isRunId(name)) continue;
        for (const auto& part : fs::directory_iterator(entry.path(), failure))
            if (isUnfinished(part.path().filename().string()) && part.is_directory(failure)) leftovers.push_back(part.path());
    }
    for (const auto& leftover : leftovers) {
        // An import copies the folder, commits the rows, and renames the folder last.
        const fs::path run = leftover.parent_path() / leftover.stem();
        if (leftover.extension() == kImport && known.contains(run.filename().string()) && !fs::exists(run, failure))
            fs::rename(leftover, run, failure);
        else
            fs::remove_all(leftover, failure);
    }
}

void sweepRunFolder(const std::string& artifacts, const std::string& run, const std::vector<CheckpointRecord>& checkpoints) {
    const fs::path folder = fs::path(artifacts) / requireRunId(run);
    if (!fs::is_directory(folder) || fs::is_symlink(folder)) return;  // the target of a link is not ours
    std::set<fs::path> known;
    for (const auto& row : checkpoints) known.insert((fs::path(artifacts) / row.folder).lexically_normal());
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool unknown = name.rfind("step-", 0) == 0 && !known.contains(entry.path().lexically_normal());
        if (entry.is_directory() && (isUnfinished(name) || unknown)) leftovers.push_back(entry.path());
    }
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder / "tokenizer", none))
        if (entry.path().extension() == ".tmp") leftovers.push_back(entry.path());
    for (const auto& leftover : leftovers) {
        const bool isTemporary = leftover.filename().string().front() == '.' || leftover.extension() == ".tmp";
        if (isTemporary)
            fs::remove_all(leftover);
        else
            discardFolder(leftover);
    }
}

}  // namespace heddle::app
