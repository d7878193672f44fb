// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/recorded_precision.h"

#include "engine/base/json.h"

namespace heddle::app {

std::string recordedPrecision(storage::RunQuery& query, const std::string& run) {
    std::string precision;
    std::int64_t newest = 0;
    for (const auto& attempt : query.attempts(run)) {
        const Json context = Json::parse(attempt.context, nullptr, false);
        const Json recorded = context.is_object() ? context.value("precision", Json()) : Json();
        if (!recorded.is_string() || attempt.attempt < newest) continue;
        newest = attempt.attempt;
        precision = recorded;
    }
    return precision;
}

}  // namespace heddle::app
