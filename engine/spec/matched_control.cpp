// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/matched_control.h"

#include "engine/spec/run_spec.h"

#include <cmath>
#include <string>

namespace heddle {

Json controlDocument(const Json& draft, const Json& baseline) {
    Json document = draft;
    document.erase("name");  // of the draft, if it is a clone of a run
    document["variant"] = baseline.value("variant", Json::object());
    return document;
}

/// Counts grow by the same amount with every unit of f.
std::optional<MatchedControl> matchedControl(const Json& control, std::int64_t wanted, const AssumedVocabulary& assumed) {
    const auto countAt = [&](std::int64_t f) -> std::int64_t {
        Json document = control;
        applySet(document, "dims.f=" + std::to_string(f));
        const Facts facts = factsOf(document, assumed);
        return facts ? facts->cost.parameters : 0;
    };
    const std::int64_t first = countAt(1), second = countAt(2), slope = second - first;
    if (first <= 0 || slope <= 0) return std::nullopt;
    const std::int64_t width = 1 + std::llround(double(wanted - first) / double(slope));
    if (width < 1 || width > (1 << 20)) return std::nullopt;
    MatchedControl found{control, width, countAt(width)};
    applySet(found.document, "dims.f=" + std::to_string(width));
    return found.parameters > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace heddle
