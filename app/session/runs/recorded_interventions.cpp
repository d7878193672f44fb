// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/recorded_interventions.h"

#include "engine/base/error.h"

#include <fmt/format.h>

namespace heddle::app {

std::vector<InterventionsAt> recordedInterventions(storage::RunQuery& query, const std::string& run,
                                                   std::vector<std::string>& notes) {
    std::vector<InterventionsAt> recorded;
    for (const storage::EventRecord& event : query.events(run)) {
        if (event.kind != kInterventionEvent) continue;
        try {
            recorded.push_back(readInterventionsAt(event.step, event.data));
        } catch (const Error& error) {
            notes.push_back(fmt::format("the intervention after step {} cannot be repeated: {}", event.step, error.problem()));
        }
    }
    return recorded;
}

}  // namespace heddle::app
