// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a draft together with those of the variant that it is drawn over.
#pragma once

#include "ui/pages/compose/draft/slot_site.h"

#include <utility>
#include <vector>

namespace heddle::ui {

class LayersOver {
public:
    /// Null: the draft is drawn alone, and nothing is new or missing.
    explicit LayersOver(const ResolvedVariant* other) : other_(other) {}

    const std::vector<ResolvedLayer>& layers(const std::string& stack) const;
    /// True if two layers are equal in the other variant, or if it has neither.
    bool areEqual(const std::string& stack, std::size_t a, std::size_t b) const;

    /// A draft's sublayer, or one that only the other variant has, as second.
    using Part = std::pair<const ResolvedSublayer*, const ResolvedSublayer*>;
    /// The sublayers of a layer of the draft, in its order. A missing one comes after the one that it follows in the other
    /// variant.
    std::vector<Part> sublayers(const ResolvedVariant& draft, const SlotSite& layer) const;
    /// True if the other variant has the layer, but not with this sublayer.
    bool isNew(const ResolvedSublayer& sublayer, const SlotSite& layer) const;
    /// The place of a sublayer in the other variant's layer, if the sublayer was moved, which means that it is not in
    /// the longest common subsequence of both layers.
    std::optional<SublayerIndex> movedFrom(const ResolvedVariant& draft, const SlotSite& sublayer) const;

private:
    const ResolvedVariant* other_;
};

}  // namespace heddle::ui
