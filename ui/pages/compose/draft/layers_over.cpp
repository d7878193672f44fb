// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/layers_over.h"

#include "engine/spec/variant_spec.h"

#include <algorithm>

namespace heddle::ui {
namespace {

using Names = std::vector<std::string>;

Names namesOf(const ResolvedLayer& layer) {
    Names names;
    for (const auto& sublayer : layer.sublayers) names.push_back(sublayer.name);
    return names;
}

/// The longest common subsequence; of equally long ones that with the earliest names of `a`.
Names commonOrder(const Names& a, const Names& b) {
    std::vector<std::vector<std::size_t>> longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            longest[i][j] = a[i] == b[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    Names common;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j]) {
            common.push_back(a[i]);
            ++i, ++j;
        } else if (longest[i][j + 1] >= longest[i + 1][j]) {
            ++j;
        } else {
            ++i;
        }
    }
    return common;
}

}  // namespace

const std::vector<ResolvedLayer>& LayersOver::layers(const std::string& stack) const {
    static const std::vector<ResolvedLayer> kNone;
    return other_ ? layersOf(*other_, stack) : kNone;
}

bool LayersOver::areEqual(const std::string& stack, std::size_t a, std::size_t b) const {
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

std::optional<SublayerIndex> LayersOver::movedFrom(const ResolvedVariant& draft, const SlotSite& sublayer) const {
    const auto& others = layers(sublayer.stack);
    const auto at = std::size_t(sublayer.first);
    if (at >= others.size()) return std::nullopt;
    const Names now = namesOf(layersOf(draft, sublayer.stack)[at]), before = namesOf(others[at]);
    const auto find = [&](const Names& names) { return std::find(names.begin(), names.end(), sublayer.sublayer); };
    const Names common = commonOrder(now, before);
    if (find(before) == before.end() || find(common) != common.end()) return std::nullopt;
    return SublayerIndex{int(find(before) - before.begin()), int(before.size())};
}

}  // namespace heddle::ui
