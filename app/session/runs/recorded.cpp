// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/recorded.h"

#include "engine/base/error.h"
#include "engine/run/attempt_facts.h"

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

Precision recordedPrecision(storage::RunQuery& query, const std::string& run) {
    Precision precision = Precision::Auto;
    std::int64_t newest = 0;
    for (const auto& attempt : query.attempts(run)) {
        const auto recorded = choiceNamed<Precision>(attemptFacts(attempt.context).precision);
        if (!recorded || attempt.attempt < newest) continue;
        newest = attempt.attempt;
        precision = *recorded;
    }
    return precision;
}

}  // namespace heddle::app
