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

/// Counts and FLOPs grow by the same amount with every unit of f.
std::optional<MatchedControl> matchedControl(const Json& control, double wanted, const AssumedVocabulary& assumed, Budget by) {
    const auto factsAt = [&](std::int64_t f) {
        Json document = control;
        applySet(document, "dims.f=" + std::to_string(f));
        return factsOf(document, assumed);
    };
    const auto budgetAt = [&](std::int64_t f) {
        const Facts facts = factsAt(f);
        if (!facts) return 0.0;
        return by == Budget::Parameters ? double(facts->cost.parameters) : facts->flops;
    };
    const double first = budgetAt(1), slope = budgetAt(2) - first;
    if (first <= 0 || slope <= 0) return std::nullopt;
    const double nearest = 1 + std::round((wanted - first) / slope);
    if (!(nearest >= 1 && nearest <= (1 << 20))) return std::nullopt;
    const auto width = std::int64_t(nearest);
    const Facts facts = factsAt(width);
    if (!facts) return std::nullopt;
    MatchedControl found{control, width, facts->cost.parameters};
    applySet(found.document, "dims.f=" + std::to_string(width));
    return found;
}

}  // namespace heddle
