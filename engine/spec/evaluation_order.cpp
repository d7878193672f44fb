// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/evaluation_order.h"

#include "engine/spec/variant_schema.h"

#include <algorithm>

namespace heddle {

EvaluationOrder evaluationOrder(const ResolvedSublayer& sublayer) {
    EvaluationOrder order;
    const auto says = [&](const char* slot, const char* key, const char* value) {
        const auto found = sublayer.slots.find(slot);
        return found != sublayer.slots.end() && found->second.params.value(key, Json()) == value;
    };
    if (says("norm", "place", "pre")) order.before.emplace_back("norm");
    const bool late = says("adjuster", "where", "before_ffn"), dropFirst = says("dropout", "order", "before_adjuster");
    if (dropFirst) order.after.emplace_back("dropout");
    if (!late) order.after.emplace_back("adjuster");
    if (!dropFirst) order.after.emplace_back("dropout");
    if (sublayer.slots.contains("parallel")) order.after.emplace_back("parallel");
    order.after.emplace_back("residual");
    if (order.before.empty()) order.after.emplace_back("norm");
    if (late) order.after.emplace_back("adjuster");
    const auto placed = [&](const std::string& slot) {
        return std::count(order.after.begin(), order.after.end(), slot) +
                   std::count(order.before.begin(), order.before.end(), slot) >
               0;
    };
    for (const auto& slot : sublayerSlots(sublayer.name))
        if (!placed(slot)) order.mixer.push_back(slot);
    return order;
}

bool sameLayer(const ResolvedLayer& a, const ResolvedLayer& b) {
    return std::equal(a.sublayers.begin(), a.sublayers.end(), b.sublayers.begin(), b.sublayers.end(),
                      [](const auto& x, const auto& y) { return x.name == y.name && x.slots == y.slots; });
}

}  // namespace heddle
