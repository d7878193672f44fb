// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/transfer.h"

#include "app/session/recorder/ownership.h"
#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/base/links.h"
#include "engine/run/run_state.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <tuple>

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

/// Whether the target has the run as the source has it: an earlier import was interrupted after it had copied this one.
bool isCopied(const storage::RunRecord& there, const storage::RunRecord& here) {
    const auto key = [](const storage::RunRecord& run) {
        return std::tie(run.state, run.spec, run.created, run.attempts, run.step, run.seconds, run.damaged);
    };
    return key(there) == key(here) && !there.damaged;
}

/// Copies the folder under a temporary name, commits the rows, then renames the folder. An interrupted copy is completed or
/// removed when the database is next opened (sweepArtifacts).
void copyRun(const std::string& from, storage::RunStore& store, const std::string& run) {
    const auto source = storage::RunQuery::open(from);
    const std::string artifacts = storage::artifactFolder(from), to = storage::artifactFolder(store.file());
    const std::string target = to + "/" + run;
    const auto there = storage::RunQuery::open(store.file())->run(run);
    const bool isRepeated = there && isCopied(*there, source->run(run).value());
    if (there && !isRepeated) return store.importRun(from, run);  // refuses
    if (isRepeated && fs::is_directory(target) && linkProblem(to, run).empty()) return;
    const std::string copy = target + ".tmp-import";
    fs::remove_all(copy);
    std::vector<std::string> leftOut;
    try {
        leftOut = copyRunFolder(artifacts, run, source->checkpoints(run), copy);
        if (!isRepeated) store.importRun(from, run);
    } catch (...) {
        std::error_code ignored;  // the next owner removes what is left
        fs::remove_all(copy, ignored);
        throw;
    }
    if (fs::exists(copy)) {
        discardFolder(to, run);
        fs::rename(copy, target);
    }
    if (isRepeated) return;  // what was left out has been told
    const auto record = storage::RunQuery::open(store.file())->run(run);
    for (const auto& what : leftOut)
        store.add(storage::EventRecord{run, record->attempts, record->step, 0, storage::unixTime(), "warning",
                                       "not copied with the run: " + what, ""});
}

}  // namespace

std::vector<std::string> copyRuns(const std::string& from, const std::string& to, const std::vector<std::string>& runs) {
    auto ids = chosenRuns(from, runs);
    const auto store = openAsOwner(to, {"heddle runs import", 0});
    for (const auto& id : ids) copyRun(from, *store, id);
    return ids;
}

}  // namespace heddle::app
