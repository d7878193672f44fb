// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/ownership.h"

#include "app/session/recorder/ledger.h"
#include "app/session/runs/checkpoint_folders.h"
#include "engine/run/run_state.h"
#include "storage/run_query.h"

#include <memory>

namespace heddle::app {
namespace {

void recover(storage::RunStore& store) {
    const std::shared_ptr<storage::RunQuery> query = storage::RunQuery::open(store.file());
    sweepArtifacts(storage::artifactFolder(store.file()), *query);
    auto runs = query->runs();
    std::erase_if(runs, [](const auto& run) { return run.damaged || !isActive(run.state); });
    if (runs.empty()) return;
    Ledger ledger(query);
    store.begin();
    for (const auto& run : runs)
        ledger.changeState(store, run.id, {RunState::Interrupted, "the process that trained it ended"});
    ledger.flush(store);
    store.commit(storage::RunStore::Durability::Full);
}

}  // namespace

std::unique_ptr<storage::RunStore> openAsOwner(const std::string& file, const storage::RunStore::Options& options) {
    auto store = storage::RunStore::open(file, options);
    recover(*store);
    return store;
}

}  // namespace heddle::app
