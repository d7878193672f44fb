// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/checkpoint.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_member.h"
#include "engine/base/links.h"
#include "engine/base/sha256.h"
#include "engine/train/checkpoint/safetensors.h"

#include <array>
#include <filesystem>
#include <random>

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "heddle.checkpoint/1";
constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kState = "state.json";
constexpr std::uintmax_t kMaxStateBytes = std::uintmax_t{16} << 20;
constexpr std::uint64_t kSpareBytes = 1 << 20;  ///< for state.json, folders and the file system's own use

/// A folder that the destructor removes unless it has been renamed.
class TemporaryFolder {
public:
    explicit TemporaryFolder(const std::string& parent) {
        std::random_device device;
        path_ = parent + "/.tmp-" + std::to_string(device()) + std::to_string(device());
        try {
            createFolderDurably(path_);
        } catch (...) {  // it may be there, and only its parent could not be synced
            remove();
            throw;
        }
    }
    ~TemporaryFolder() { remove(); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    void remove() const {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }

    std::string path_;
};

Json describe(const std::string& sha256, std::uint64_t bytes) { return {{"sha256", sha256}, {"bytes", bytes}}; }

/// Writes one file and reads it back, so that a faulty disk is noticed now and not at resume.
std::string writeVerified(const std::string& path, const std::vector<std::string_view>& parts) {
    std::string sha256 = writeDurably(path, parts);
    if (sha256OfFile(path) != sha256)
        throw Error(ErrorCode::Failure, "the file differs from what was written when read back", path,
                    "check the disk; earlier checkpoints are untouched");
    return sha256;
}

bool holdsSame(const std::string& folder, const std::string& stateText) {
    std::error_code error;
    if (!fs::is_regular_file(folder + "/" + kState, error)) return false;
    try {
        if (readWholeFile(folder + "/" + kState, kUseAnother) != stateText) return false;
        readCheckpoint(folder);
        return true;
    } catch (const Error&) {
        return false;  // damaged or unreadable, will be replaced
    }
}

Json readState(const std::string& folder) {
    const std::string path = folder + "/" + kState;
    requireNoLink(folder, kState);
    std::error_code failed;
    if (const auto bytes = fs::file_size(path, failed); !failed && bytes > kMaxStateBytes)
        throwInvalid("unsupported checkpoint: the file is too large", path, "use an earlier checkpoint");
    Json document = parseJson(readWholeFile(path, kUseAnother), path);
    if (!document.is_object() || document.value("schema", Json()) != kSchema)
        throwInvalid("unsupported checkpoint schema", path, std::string("expected schema ") + kSchema);
    return document;
}

Checkpoint withoutTensors(const Json& document, const std::string& folder) {
    Checkpoint checkpoint;
    checkpoint.state = TrainState::fromJson(document.value("state", Json::object()), folder + "/" + kState);
    checkpoint.identity = document.value("identity", Json::object());
    checkpoint.averaged =
        memberOr<std::vector<std::int64_t>>(document, "averaged", {}, "the checkpoint", folder + "/" + kState, kUseAnother);
    return checkpoint;
}

NamedTensors readVerified(const std::string& folder, const char* name, const Json& document) try {
    const std::string path = folder + "/" + name;
    requireNoLink(folder, name);
    const Json recorded = document.value("files", Json::object()).value(name, Json::object());
    std::error_code failed;
    const auto size = fs::file_size(path, failed);  // checked before allocating memory for it
    if (!failed && size != recorded.value("bytes", std::uint64_t{0}))
        throwInvalid("the file is damaged: its size differs from the one in state.json", path, "use an earlier checkpoint");
    const std::string bytes = readWholeFile(path, kUseAnother);
    if (recorded.value("sha256", "") != sha256Hex(bytes))
        throwInvalid("the file is damaged: its SHA-256 differs from the one in state.json", path, "use an earlier checkpoint");
    return parseSafetensors(bytes, path);
} catch (const Json::exception&) {
    throwInvalid("invalid training state", folder + "/" + kState, "use an earlier checkpoint");
}

}  // namespace

std::string checkpointName(std::int64_t step) { return "step-" + std::to_string(step); }

std::string averageName(const std::vector<std::int64_t>& steps) {
    std::string name = "average";
    for (const std::int64_t step : steps) name.append("-").append(std::to_string(step));
    return name;
}

CheckpointWritten writeCheckpoint(const std::string& runFolder, const Checkpoint& checkpoint) try {
    const SafetensorsImage weights(checkpoint.weights), optimizer(checkpoint.optimizer);
    const bool isAverage = !checkpoint.averaged.empty();
    const std::string name = isAverage ? averageName(checkpoint.averaged) : checkpointName(checkpoint.state.step);
    const fs::path run = runFolder;
    requireNoLink(run.parent_path().string(), (run.filename() / name).string());
    createFolderDurably(runFolder);
    const std::uint64_t needed = weights.bytes() + optimizer.bytes() + kSpareBytes;
    if (freeBytes(runFolder).value_or(needed) < needed) throw DiskFullError(runFolder, needed);

    CheckpointWritten written;
    const TemporaryFolder temporary(runFolder);
    written.weightsSha256 = writeVerified(temporary.path() + "/" + kWeights, weights.parts());
    written.optimizerSha256 = writeVerified(temporary.path() + "/" + kOptimizer, optimizer.parts());
    Json document{{"schema", kSchema},
                  {"state", checkpoint.state.toJson()},
                  {"identity", checkpoint.identity},
                  {"files",
                   {{kWeights, describe(written.weightsSha256, weights.bytes())},
                    {kOptimizer, describe(written.optimizerSha256, optimizer.bytes())}}}};
    if (isAverage) document["averaged"] = checkpoint.averaged;
    const std::string state = canonicalJson(document) + "\n";
    written.stateSha256 = writeVerified(temporary.path() + "/" + kState, {state});
    syncFolder(temporary.path());
    const std::string folder = runFolder + "/" + name;
    if (!holdsSame(folder, state)) replaceFolder(temporary.path(), folder);
    written.folder = (run.filename() / name).string();
    written.bytes = weights.bytes() + optimizer.bytes() + state.size();
    return written;
} catch (const fs::filesystem_error& error) {
    throw Error(ErrorCode::Failure, error.code().message(), runFolder,
                "check the disk and the rights of the folder; earlier checkpoints are untouched");
}

Checkpoint readCheckpoint(const std::string& folder) {
    const Json document = readState(folder);
    Checkpoint checkpoint = withoutTensors(document, folder);
    checkpoint.weights = readVerified(folder, kWeights, document);
    checkpoint.optimizer = readVerified(folder, kOptimizer, document);
    return checkpoint;
}

Checkpoint readCheckpointState(const std::string& folder) { return withoutTensors(readState(folder), folder); }

NamedTensors readCheckpointWeights(const std::string& folder) { return readVerified(folder, kWeights, readState(folder)); }

Json readCheckpointIdentity(const std::string& folder) { return readState(folder).value("identity", Json::object()); }

void removeLeftovers(const std::string& runFolder) {
    const fs::path run = runFolder;
    if (!linkProblem(run.parent_path().string(), run.filename().string()).empty()) return;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(run, error))
        if (entry.path().filename().string().starts_with(".tmp-")) fs::remove_all(entry.path(), error);
}

}  // namespace heddle
