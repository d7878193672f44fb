// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/transfer.h"

#include "app/session/recorder/ownership.h"
#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/run/run_state.h"
#include "storage/run_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

bool isFinished(const storage::RunRecord& run) {
    const auto state = runStateFromName(run.state);
    return state && isFinal(*state);
}

std::vector<std::string> chosenRuns(const std::string& file, const std::vector<std::string>& texts) {
    const auto query = storage::RunQuery::open(file);
    std::vector<std::string> ids;
    for (const auto& text : texts) {
        const auto run = findRun(*query, text);
        if (!isFinished(run))
            throw Error(ErrorCode::Usage, fmt::format("run {} is {}", run.id, run.state), file,
                        "a run can be copied once it has ended; stop it, or wait");
        ids.push_back(run.id);
    }
    if (texts.empty())
        for (const auto& run : query->runs())
            if (isFinished(run) && run.trashed == 0) ids.push_back(run.id);
    return ids;
}

/// Copies the folder under a temporary name, commits the rows, then renames the folder. An interrupted copy is completed or
/// removed when the database is next opened (sweepArtifacts).
void copyRun(const std::string& from, storage::RunStore& store, const std::string& run) {
    const fs::path source = fs::path(storage::artifactFolder(from)) / requireRunId(run);
    const fs::path target = fs::path(storage::artifactFolder(store.file())) / run;
    const bool isThere = storage::RunQuery::open(store.file())->run(run).has_value();  // importRun() will refuse it
    const fs::path copy = target.string() + ".tmp-import";
    if (!isThere && fs::exists(source)) {
        fs::remove_all(copy);
        fs::create_directories(target.parent_path());
        // Skips links, which could lead anywhere; a run's folder has none.
        fs::copy(fs::canonical(source), copy, fs::copy_options::recursive | fs::copy_options::skip_symlinks);
    }
    store.importRun(from, run);
    if (!fs::exists(copy)) return;
    discardFolder(target);
    fs::rename(copy, target);
}

}  // namespace

std::vector<std::string> copyRuns(const std::string& from, const std::string& to, const std::vector<std::string>& runs) {
    auto ids = chosenRuns(from, runs);
    const auto store = storage::RunStore::open(to, {fmt::format("heddle runs import, pid {}", getpid()), 0});
    recoverAsOwner(*store);
    for (const auto& id : ids) copyRun(from, *store, id);
    return ids;
}

}  // namespace heddle::app
