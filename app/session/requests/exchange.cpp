// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/exchange.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/links.h"
#include "engine/run/run_state.h"

#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelFile = "weights.safetensors";  ///< of a checkpoint, and of what is exported

/// A folder that is filled beside its destination and then moved there. The destructor removes it if it was not moved.
class FolderInTheMaking {
public:
    explicit FolderInTheMaking(std::string later)
        : later_(std::move(later)), path_(fmt::format("{}.tmp-{:08x}", later_, std::random_device{}())) {
        std::error_code failed;
        fs::create_directories(path_, failed);
        if (failed) throwNotWritten(failed.message());
    }
    ~FolderInTheMaking() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    FolderInTheMaking(const FolderInTheMaking&) = delete;
    FolderInTheMaking& operator=(const FolderInTheMaking&) = delete;

    const std::string& path() const { return path_; }
    void move() const {
        std::error_code failed;
        fs::rename(path_, later_, failed);
        if (failed) throwNotWritten(failed.message());
    }

private:
    [[noreturn]] void throwNotWritten(const std::string& why) const {
        throw Error(ErrorCode::Failure, why, later_, "check the path and your rights to the folder");
    }

    std::string later_, path_;
};

void copyFile(const std::string& from, const std::string& to) { writeFileAtomically(to, readWholeFile(from), Readers::Umask); }

/// The weights as they are, the spec, and the files of the tokenizers.
std::vector<std::string> copyOwnForm(const ChosenCheckpoint& chosen, const std::string& folder) {
    std::vector<std::string> files{kModelFile, "spec.json"};
    copyFile(chosen.folder() + "/" + kModelFile, folder + "/" + kModelFile);
    writeFileAtomically(folder + "/spec.json", dumped(readRunSpec(chosen).toJson(), 2) + "\n", Readers::Umask);
    for (const char* side : {"source", "target", "classes"})
        for (const char* extension : {".json", ".model"}) {
            const std::string name = fmt::format("tokenizer/{}{}", side, extension);
            if (!fs::is_regular_file(chosen.runFolder() + "/" + name)) continue;
            requireNoLink(chosen.artifacts, chosen.run.id + "/" + name);
            copyFile(chosen.runFolder() + "/" + name, folder + "/" + name);
            files.push_back(name);
        }
    return files;
}

void addRecords(storage::RunStore& owner, const ImportedModel& imported, const WeightsImport& asked, const std::string& torch) {
    const ImportedWeights& weights = imported.weights;
    storage::RunRecord run;
    run.id = imported.run;
    run.name = weights.spec.name;
    run.state = name(RunState::Completed);
    run.reason = "weights imported from " + asked.folder;
    run.spec = canonicalJson(weights.spec.toJson());
    run.variantHash = weights.spec.variant.hash();
    run.runHash = weights.runHash;
    run.seed = weights.spec.seed;
    run.created = storage::unixTime();
    run.attempts = 1;
    run.parameters = weights.parameters;
    storage::AttemptRecord attempt;
    attempt.run = run.id;
    attempt.started = run.created;
    attempt.program = HEDDLE_VERSION;
    attempt.torch = torch;
    attempt.context = canonicalJson(Json{{"imported_from", asked.folder},
                                         {"weights_sha256", weights.weightsSha256},
                                         {"tokenizer_hashes", weights.tokenizerHashes}});
    owner.begin();
    owner.addRun(run);
    owner.addAttempt(attempt);
    const CheckpointWritten& written = weights.checkpoint;
    for (const char* kind : {"best", "last"})
        owner.add(storage::CheckpointRecord{run.id, 1, 0, kind, storage::checkpointFolder(run.id, 0, kind),
                                            written.weightsSha256, written.optimizerSha256, written.stateSha256,
                                            written.bytes});
    std::vector<std::string> texts{fmt::format("weights imported from {} (SHA-256 {})", asked.folder, weights.weightsSha256)};
    texts.insert(texts.end(), weights.notes.begin(), weights.notes.end());
    for (const std::string& text : texts)
        owner.add(storage::EventRecord{run.id, 1, 0, 0, storage::unixTime(), "info", text, ""});
    owner.commit(storage::RunStore::Durability::Full);
    if (!owner.isConfirmed()) owner.checkpointWal();  // says so when the disk fails again
}

}  // namespace

ImportedModel importModel(storage::RunStore& owner, Engine& engine, WeightsImport asked) {
    ImportedModel imported{storage::newRunId(), {}};
    const std::string folder = storage::artifactFolder(fs::absolute(owner.file()).string()) + "/" + imported.run;
    asked.runFolder = folder + ".tmp-import";  // after a crash the next owner completes or removes it, like a copied run
    asked.folder = fs::absolute(asked.folder).lexically_normal().string();
    try {
        imported.weights = engine.importWeights(asked);
        addRecords(owner, imported, asked, engine.torchVersion());
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(asked.runFolder, ignored);
        throw;
    }
    fs::rename(asked.runFolder, folder);
    return imported;
}

ExportedWeights exportModel(const ChosenCheckpoint& chosen, Engine& engine, const std::string& path,
                            std::optional<PublishedForm> form) {
    if (fs::exists(path)) throwUsage("there is something already", path, "give a new path, or remove what is there");
    ExportedWeights exported{{}, {}, chosen.record.weightsSha256};
    if (path.ends_with(".safetensors")) {
        if (form) throwUsage("a form of transformers is a folder", path, "give a folder, or leave --format out");
        copyFile(chosen.folder() + "/" + kModelFile, path);
        exported.files = {fs::path(path).filename().string()};
        return exported;
    }
    std::string later = path;
    while (later.size() > 1 && later.ends_with('/')) later.pop_back();
    const FolderInTheMaking folder(later);
    if (form)
        exported = engine.exportWeights({readRunSpec(chosen), chosen.folder(), folder.path(), *form});
    else
        exported.files = copyOwnForm(chosen, folder.path());
    folder.move();
    return exported;
}

}  // namespace heddle::app
