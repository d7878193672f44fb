// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/checkpoint_folders.h"

#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/links.h"
#include "engine/base/recorded_file.h"
#include "engine/base/sha256.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
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

constexpr std::array<const char*, 3> kCheckpointFiles{"weights.safetensors", "optimizer.safetensors", "state.json"};
constexpr const char* kTokenizerFolder = "tokenizer";
/// Far above every vocabulary.
constexpr std::uint64_t kMaxTokenizerBytes = std::uint64_t{256} << 20;

/// A file to copy, relative to FILE.heddle.d, and the most bytes it may have.
struct NamedFile {
    fs::path path;
    std::uint64_t most = 0;
};

std::vector<NamedFile> filesOf(const CheckpointRecord& row) {
    std::vector<NamedFile> files;
    for (const char* name : kCheckpointFiles) files.push_back({fs::path(row.folder) / name, row.bytes});
    return files;
}

std::vector<NamedFile> tokenizerFiles(const std::string& run) {
    std::vector<NamedFile> files;
    for (const char* name : {"source", "target", "classes"})
        for (const char* form : {".json", ".model"})
            files.push_back({fs::path(run) / kTokenizerFolder / (std::string(name) + form), kMaxTokenizerBytes});
    return files;
}

/// What is said of files in FILE.heddle.d, for records: without the folder, which is another one when the run is copied or
/// moved. What stays, "RUN/step-10/state.json", is true everywhere.
std::string withoutFolder(std::string text, const std::string& artifacts) {
    const std::string beginning = (fs::path(artifacts) / "").string();
    for (auto at = text.find(beginning); at != std::string::npos; at = text.find(beginning, at))
        text.erase(at, beginning.size());
    return text;
}

}  // namespace

std::vector<std::string> copyRunFolder(const std::string& artifacts, const std::string& run,
                                       const std::vector<CheckpointRecord>& checkpoints, const std::string& to) {
    std::vector<std::string> leftOut;
    requireRunId(run);
    /// All files of one folder, or none.
    const auto copyFolder = [&](const std::vector<NamedFile>& files) {
        std::uint64_t bytes = 0;
        std::vector<NamedFile> present;
        std::error_code missing;
        for (const auto& file : files) {
            if (const auto problem = linkProblem(artifacts, file.path.string()); !problem.empty())
                return leftOut.push_back(withoutFolder(problem, artifacts));
            if (!fs::is_regular_file(fs::path(artifacts) / file.path, missing)) continue;
            bytes += fs::file_size(fs::path(artifacts) / file.path, missing);
            if (bytes > file.most) return leftOut.push_back(fmt::format("{} is larger than recorded", file.path.string()));
            present.push_back(file);
        }
        if (present.empty()) return;
        const fs::path folder = fs::path(to) / present.front().path.parent_path().lexically_relative(run);
        createFolderDurably(folder.string());
        if (freeBytes(folder.string()).value_or(bytes) < bytes) throw DiskFullError(folder.string(), bytes);
        for (const auto& file : present)
            copyDurably((fs::path(artifacts) / file.path).string(), (folder / file.path.filename()).string(), file.most);
        syncFolder(folder.string());
    };
    std::set<std::string> done;
    for (const auto& row : checkpoints) {
        if (!done.insert(row.folder).second) continue;
        if (row.damaged)
            leftOut.push_back(fmt::format("the checkpoint of step {}: its record is damaged", row.step));
        else
            copyFolder(filesOf(row));
    }
    copyFolder(tokenizerFiles(run));
    return leftOut;
}

std::string runOfCheckpoint(const std::string& checkpoint, const std::string& artifacts) {
    const fs::path inside = fs::path(checkpoint).lexically_normal().lexically_relative(fs::path(artifacts).lexically_normal());
    const std::string first = inside.empty() ? "" : inside.begin()->string();
    return storage::isRunId(first) ? first : "";
}

std::string checkpointProblem(const std::string& artifacts, const CheckpointRecord& checkpoint) {
    const std::array recorded{&checkpoint.weightsSha256, &checkpoint.optimizerSha256, &checkpoint.stateSha256};
    for (std::size_t i = 0; i < kCheckpointFiles.size(); ++i) {
        const std::string path = (fs::path(checkpoint.folder) / kCheckpointFiles[i]).string();
        if (auto problem = recordedFileProblem(artifacts, {path, *recorded[i], checkpoint.bytes}); !problem.empty())
            return problem;
    }
    return {};
}

std::vector<std::string> vocabularyProblems(const std::string& artifacts, const CheckpointRecord& checkpoint) try {
    const fs::path folder = fs::path(artifacts) / checkpoint.folder, run = fs::path(checkpoint.folder).parent_path();
    requireNoLink(artifacts, (fs::path(checkpoint.folder) / "state.json").string());
    const Json state = readJsonFile((folder / "state.json").string());
    const Json identity = state.value("identity", Json::object());
    std::vector<std::pair<std::string, std::string>> recorded;  // name, SHA-256
    const auto tokenizers = identity.value("tokenizer_hashes", std::vector<std::string>());
    if (tokenizers.size() == 2) recorded = {{"source", tokenizers[0]}, {"target", tokenizers[1]}};
    if (const auto classes = identity.value("classes_hash", std::string()); !classes.empty())
        recorded.emplace_back("classes", classes);
    std::vector<std::string> problems;
    for (const auto& [name, hash] : recorded) {
        const fs::path stem = folder.parent_path() / kTokenizerFolder / name;
        const fs::path json = stem.string() + ".json", model = stem.string() + ".model";
        const fs::path& file = fs::is_regular_file(json) ? json : model;
        if (auto link = linkProblem(artifacts, (run / kTokenizerFolder / file.filename()).string()); !link.empty())
            problems.push_back(std::move(link));
        else if (!fs::is_regular_file(file))
            problems.push_back(fmt::format("{}: neither .json nor .model exists", stem.string()));
        else if (sha256OfFile(file.string()) != hash)
            problems.push_back(fmt::format("{} differs from the one that the run was trained with (SHA-256)", file.string()));
    }
    return problems;
} catch (const Json::exception& error) {
    return {fmt::format("{}/{}: {}", artifacts, checkpoint.folder, error.what())};
} catch (const Error& error) {
    return {error.what()};
}

std::vector<std::string> checkpointProblems(storage::RunQuery& query, const std::string& artifacts) {
    std::vector<std::string> problems;
    for (const auto& run : query.runs()) {
        std::set<std::string> seen, ofRun;  // best and last may share a folder
        for (const auto& checkpoint : query.checkpoints(run.id)) {
            if (checkpoint.damaged || !seen.insert(checkpoint.folder).second) continue;
            if (auto problem = checkpointProblem(artifacts, checkpoint); !problem.empty())
                ofRun.insert(std::move(problem));
            else
                for (auto& other : vocabularyProblems(artifacts, checkpoint)) ofRun.insert(std::move(other));
        }
        for (const auto& problem : ofRun) problems.push_back(fmt::format("run {}: {}", run.id, problem));
    }
    return problems;
}

CheckpointChoice newestVerified(const std::string& artifacts, std::vector<CheckpointRecord> checkpoints) {
    std::stable_sort(checkpoints.begin(), checkpoints.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
    CheckpointChoice choice;
    std::set<std::string> seen;
    for (const auto& candidate : checkpoints) {
        if (storage::isAverage(candidate.kind)) continue;  // not a state of training
        if (!seen.insert(candidate.folder).second) continue;
        const std::string problem = checkpointProblem(artifacts, candidate);
        if (problem.empty()) {
            choice.checkpoint = candidate;
            return choice;
        }
        choice.skipped.push_back(withoutFolder(problem, artifacts));
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
        if (storage::isAverage(row.kind)) continue;
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

void discardFolder(const std::string& artifacts, const std::string& folder) {
    static std::atomic<unsigned> number = 0;
    // An entry that is a link goes itself; through one above it, the files of others would.
    if (const fs::path above = fs::path(folder).parent_path(); !above.empty()) requireNoLink(artifacts, above.string());
    const fs::path path = fs::path(artifacts) / folder;
    if (!fs::exists(fs::symlink_status(path))) return;
    const fs::path trash = path.parent_path() / fmt::format(".trash-{}-{}-{}", path.filename().string(), getpid(), ++number);
    fs::rename(path, trash);
    fs::remove_all(trash);
}

void linkMissing(const std::string& from, const std::string& to, const std::string& run) {
    const fs::path source = fs::path(from) / requireRunId(run), target = fs::path(to) / run;
    if (!fs::is_directory(source) || !linkProblem(from, run).empty()) return;
    requireNoLink(to, run);
    createFolderDurably(target.string());
    for (const auto& entry : fs::directory_iterator(source)) {
        const fs::path link = target / entry.path().filename();
        if (fs::exists(link) || entry.is_symlink()) continue;
        constexpr auto kAll = fs::copy_options::recursive | fs::copy_options::skip_symlinks;
        try {
            fs::copy(entry.path(), link, kAll | fs::copy_options::create_hard_links);
        } catch (const fs::filesystem_error&) {  // another file system or no hard links
            fs::copy(entry.path(), link, kAll | fs::copy_options::overwrite_existing);
        }
    }
}

namespace {

/// The step of "step-120"; nothing for names that training does not write, as "step-007" and "step--1".
std::optional<std::int64_t> stepOf(const std::string& folder) {
    constexpr std::string_view kStep = "step-";
    std::int64_t step = -1;
    if (!folder.starts_with(kStep)) return {};
    std::from_chars(folder.data() + kStep.size(), folder.data() + folder.size(), step);
    return step >= 0 && folder == fmt::format("{}{}", kStep, step) ? std::optional(step) : std::nullopt;
}

/// The names of the folders in `folder`; links are none.
std::vector<std::string> foldersIn(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure))
        if (entry.is_directory(failure) && !entry.is_symlink(failure)) names.push_back(entry.path().filename().string());
    return names;
}

/// The steps of the checkpoints that retention had removed from the database, but not yet from the disk, when its process was
/// killed: those without a row before the newest one that has a row. Later ones may be those of a newer copy of the database.
/// `folders`: foldersIn() the run's folder.
std::set<std::int64_t> removedSteps(const std::vector<std::string>& folders, storage::RunQuery& query,
                                    const std::string& run) try {
    std::set<std::int64_t> found;
    for (const std::string& folder : folders)
        if (const auto step = stepOf(folder)) found.insert(*step);
    if (found.size() < 2) return {};  // a run keeps at least one; with one folder there is nothing to remove
    std::int64_t newest = -1;
    for (const auto& row : query.checkpoints(run)) {
        newest = std::max(newest, row.step);
        found.erase(row.step);
    }
    if (!query.damages().empty()) return {};  // the row of a checkpoint may be among them
    found.erase(found.upper_bound(newest), found.end());
    return found;
} catch (const storage::StorageError& error) {
    if (error.kind() != storage::StorageError::Kind::Corrupt) throw;
    return {};  // which rows there were cannot be known; the database still has an owner
}

}  // namespace

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
        const std::vector<std::string> folders = foldersIn(entry.path());
        const std::set<std::int64_t> removed = removedSteps(folders, query, name);
        for (const std::string& folder : folders) {
            const auto step = stepOf(folder);
            if (isUnfinished(folder) || (step && removed.contains(*step))) leftovers.push_back(entry.path() / folder);
        }
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
    if (!fs::is_directory(folder) || !linkProblem(artifacts, run).empty()) return;  // the target of a link is not ours
    std::set<fs::path> known;
    for (const auto& row : checkpoints) known.insert((fs::path(artifacts) / row.folder).lexically_normal());
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const bool unknown =
            (name.starts_with("step-") || storage::isAverage(name)) && !known.contains(entry.path().lexically_normal());
        if (entry.is_symlink()) continue;  // the target of a link is not ours
        if (entry.is_directory() && (isUnfinished(name) || unknown)) leftovers.push_back(entry.path());
    }
    std::error_code none;
    const fs::path tokenizers = folder / kTokenizerFolder;
    if (linkProblem(artifacts, (fs::path(run) / kTokenizerFolder).string()).empty())
        for (const auto& entry : fs::directory_iterator(tokenizers, none))
            if (entry.path().extension() == ".tmp") leftovers.push_back(entry.path());
    for (const auto& leftover : leftovers) {
        const bool isTemporary = leftover.filename().string().front() == '.' || leftover.extension() == ".tmp";
        if (isTemporary)
            fs::remove_all(leftover);
        else
            discardFolder(artifacts, leftover.lexically_relative(artifacts).string());
    }
}

}  // namespace heddle::app
