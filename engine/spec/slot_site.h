// SPDX-License-Identifier: Apache-2.0
// Where a slot stands in a model, how its paths are written in the resolved tree and in edits, and how an edit of it is written
// into a run document.
#pragma once

#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A slot of the whole model (`stack` empty), of a whole stack (`sublayer` empty), or of one sublayer in the layers
/// first … last of a stack.
struct SlotSite {
    std::string stack, sublayer, slot;
    int first = 0, last = 0;

    bool isGlobal() const { return stack.empty(); }
    bool hasLayers() const { return !sublayer.empty(); }
    /// True for the same slot, in whatever layers.
    bool isSameSlot(const SlotSite& other) const {
        return slot == other.slot && stack == other.stack && sublayer == other.sublayer;
    }
    SlotSite inLayer(int layer) const { return {stack, sublayer, slot, layer, layer}; }
    /// A slot of a sublayer in the same layers.
    SlotSite slotOf(const std::string& inner, const std::string& name) const { return {stack, inner, name, first, last}; }
    bool operator==(const SlotSite&) const = default;
};

/// "encoder.layers.3.self.residual": the entry of one layer in the resolved tree; "encoder.share" for a slot of a stack,
/// "embed" for one of the whole model.
std::string modulePath(const SlotSite& site, int layer);
/// The slot that a path of a problem or of a resolved tree leads into; nothing for "dims.d", "train.lr" and such.
std::optional<SlotSite> siteOfPath(const std::string& path, const ResolvedVariant& variant);

/// The place of a site's sublayer among those of its layer.
struct SublayerIndex {
    int index = 0, count = 0;
};
SublayerIndex placeOfSublayer(const ResolvedVariant& variant, const SlotSite& site);

/// The block chosen at the first layer of a site; null when the variant has no such slot.
const BlockChoice* choiceAt(const ResolvedVariant& variant, const SlotSite& site);
/// The earlier layers that a score block reads, 1 for the one before; empty where it reads none.
std::vector<int> carriedFrom(const BlockChoice& score);
/// The block of a slot that a document does not mention.
std::string standardAt(const SlotSite& site);
/// True where the block is the standard one with standard parameters.
bool isStandard(const SlotSite& site, const BlockChoice& choice);
/// Returns the sites of the model that have this slot. The layers of a stack are one site.
std::vector<SlotSite> sitesOf(const ResolvedVariant& variant, const std::string& slot);

/// The slot that a module path ends with.
std::string slotOfModule(const std::string& path);

/// A new value of one member of a slot; without a key, of the whole slot.
struct SlotEdit {
    SlotSite site;
    std::string key;
    Json value;
};

/// Writes an edit into a run document. `layerCount`: of the site's stack. An edit of all layers stands at the stack's sublayer
/// and takes back what single layers say. Throws Error where the document cannot take it.
void writeSlot(Json& document, const SlotEdit& edit, int layerCount);

/// The sublayers, by name only, of a stack whose list the variant document does not state: its preset's, else the standard
/// ones.
Json impliedSublayers(const Json& variant, const std::string& stack);

/// Moves a sublayer to another place (0: first) in every layer of its stack, by writing the stack's list; the settings of
/// sublayers and layers stay. Throws if the stack has no such sublayer or no such place.
void moveSublayer(Json& variant, const SublayerPlace& sublayer, int place);

}  // namespace heddle
