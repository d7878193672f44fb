// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/layers_over.h"

#include "ui/pages/compose/evaluation_order.h"

#include <algorithm>

namespace heddle::ui {

const std::vector<ResolvedLayer>& LayersOver::layers(const std::string& stack) const {
    static const std::vector<ResolvedLayer> kNone;
    return other_ ? layersOf(*other_, stack) : kNone;
}

bool LayersOver::areAlike(const std::string& stack, std::size_t a, std::size_t b) const {
    const auto& all = layers(stack);
    if (a >= all.size() || b >= all.size()) return a >= all.size() && b >= all.size();
    return sameLayer(all[a], all[b]);
}

std::vector<LayersOver::Part> LayersOver::sublayers(const ResolvedVariant& draft, const SlotSite& layer) const {
    std::vector<Part> parts;
    const auto at = std::size_t(layer.first);
    for (const auto& own : layersOf(draft, layer.stack)[at].sublayers) parts.emplace_back(&own, nullptr);
    const auto& others = layers(layer.stack);
    if (at >= others.size()) return parts;
    std::size_t place = 0;
    for (const auto& other : others[at].sublayers) {
        const auto own = std::find_if(parts.begin(), parts.end(),
                                      [&](const Part& part) { return part.first && part.first->name == other.name; });
        const bool isMissing = own == parts.end();
        place = isMissing ? place + 1 : std::size_t(own - parts.begin()) + 1;
        if (isMissing) parts.insert(parts.begin() + std::ptrdiff_t(place - 1), {nullptr, &other});
    }
    return parts;
}

bool LayersOver::isNew(const ResolvedSublayer& sublayer, const SlotSite& layer) const {
    const auto& others = layers(layer.stack);
    if (std::size_t(layer.first) >= others.size()) return false;
    const auto& same = others[std::size_t(layer.first)].sublayers;
    return std::none_of(same.begin(), same.end(), [&](const auto& other) { return other.name == sublayer.name; });
}

}  // namespace heddle::ui
