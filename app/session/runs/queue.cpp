// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/queue.h"

#include "engine/run/run_state.h"

#include <algorithm>

namespace heddle::app {

std::vector<storage::RunRecord> queueOf(std::vector<storage::RunRecord> runs) {
    std::erase_if(runs, [](const auto& run) { return run.state != name(RunState::Queued) || run.trashed > 0; });
    std::sort(runs.begin(), runs.end(), storage::startsBefore);
    return runs;
}

}  // namespace heddle::app
