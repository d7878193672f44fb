// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of the variant that a draft is drawn over, beside those of the draft.
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
    /// True if two layers are equal in the other variant, or both not there.
    bool areAlike(const std::string& stack, std::size_t a, std::size_t b) const;

    /// A draft's sublayer, or one that only the other variant has, as second.
    using Part = std::pair<const ResolvedSublayer*, const ResolvedSublayer*>;
    /// Those of a layer of the draft, in its order; one that is missing stands behind the one that it follows in the other.
    std::vector<Part> sublayers(const ResolvedVariant& draft, const SlotSite& layer) const;
    /// True if the other variant has the layer, but not with this sublayer.
    bool isNew(const ResolvedSublayer& sublayer, const SlotSite& layer) const;
    /// The place of a sublayer in the other variant's layer, if the sublayer was moved: if it is not one of the most sublayers
    /// that both layers have in the same order.
    std::optional<SublayerIndex> movedFrom(const ResolvedVariant& draft, const SlotSite& sublayer) const;

private:
    const ResolvedVariant* other_;
};

}  // namespace heddle::ui
