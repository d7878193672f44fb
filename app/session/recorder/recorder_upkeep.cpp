// SPDX-License-Identifier: Apache-2.0
// Recorder: maintenance on its thread besides writing events.
#include "app/session/recorder/recorder.h"
#include "app/session/runs/checkpoint_folders.h"

#include <fmt/format.h>

#include <utility>

namespace heddle::app {

using storage::RunStore;

void Recorder::applyRetention() {
    if (!locationProblem_.empty()) return;  // the folders may belong to another database
    std::vector<Ledger::RetentionDue> allDue;
    {
        const std::lock_guard lock(mutex_);
        allDue = ledger_.takeRetentionDue();
    }
    for (const auto& due : allDue) {
        const Retention plan = planRetention(due.checkpoints, due.keepLast);
        if (plan.rows.empty()) continue;
        try {
            transact([&](Ledger& ledger, RunStore& store) {
                for (const auto& row : plan.rows) store.removeCheckpoint(due.run, row.step, row.kind);
                ledger.forgetCheckpoints(due.run, plan.rows);
            });
            const std::string artifacts = storage::artifactFolder(store_->file());
            for (const auto& folder : plan.folders) discardFolder(artifacts, folder);
        } catch (const std::exception& error) {
            // Surplus checkpoints are harmless; retried after the next one.
            setProblem(fmt::format("old checkpoints could not be removed: {}", error.what()));
        }
    }
}

/// After a commit. If the disk did not confirm it, training pauses until all commits are written again (checkpointWal).
void Recorder::checkConfirmed() {
    if (store_->isConfirmed()) return;
    isUnconfirmed_ = walFailing_ = walDirty_ = true;
    nextWal_ = Clock::now() + options_.retryEvery;
    queue_.setWriteError(true);
    setProblem("the disk reported an error for the last commit, which is written again");
}

/// The runs in training keep a trace of what checkConfirmed() found.
void Recorder::recordConfirmed() {
    transact([](Ledger& ledger, RunStore& store) {
        ledger.warnActive(store,
                          "the disk reported an error while records were written (fsync); they were written again and are "
                          "complete, but check the disk");
    });
    isUnconfirmed_ = !store_->isConfirmed();
}

/// Bounds the log, copying it back only when idle.
void Recorder::checkpointWalWhenIdle() {
    if (!walDirty_ || !locationProblem_.empty() || !pending_.events.empty() || Clock::now() < nextWal_) return;
    nextWal_ = Clock::now() + options_.walEvery;
    try {
        store_->checkpointWal();
        walDirty_ = false;
        if (isUnconfirmed_) recordConfirmed();
        if (store_->isConfirmed() && std::exchange(walFailing_, false)) {
            queue_.setWriteError(false);
            setProblem("");
        }
    } catch (const std::exception& error) {
        // The log cannot be emptied, so training pauses as after a write error.
        walFailing_ = true;
        nextWal_ = Clock::now() + options_.retryEvery;
        queue_.setWriteError(true);
        setProblem(error.what());
    }
}

/// SQLite does not notice when its files are moved or removed and continues with the open files.
void Recorder::checkLocation() {
    if (Clock::now() < nextLocation_) return;
    nextLocation_ = Clock::now() + options_.locationEvery;
    const std::string problem = store_->placeProblem();
    if (problem == locationProblem_) return;
    const bool wasThere = locationProblem_.empty();
    {
        const std::lock_guard lock(mutex_);
        locationProblem_ = problem;
    }
    queue_.setDatabaseLost(!problem.empty());
    if (wasThere && handlers_.databaseLost) try {
            handlers_.databaseLost();
        } catch (const std::exception& error) {
            setProblem(fmt::format("checkpoints could not be requested: {}", error.what()));
        }
}

void Recorder::recover() {
    try {
        if (!store_->placeProblem().empty()) recoveredTo_ = store_->recover();
    } catch (const std::exception& error) {
        recoverFailure_ = fmt::format("{}, and it could not be saved: {}", store_->placeProblem(), error.what());
    }
}

}  // namespace heddle::app
