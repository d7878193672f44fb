// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/exposures.h"

namespace heddle {
namespace {

/// The weights of an attention; a normaliser whose weights are no shares describes them itself.
Exposure weightOf(const ResolvedSublayer& attention) {
    for (const Exposure& own : builtinCatalogue().at("normaliser", attention.slots.at("normaliser").id).exposures)
        if (own.id == kAttentionWeight) return own;
    return {kAttentionWeight, "attention weight", Exposure::Quantity::Weight, "BHQK", 0, 1, false, true, true};
}

}  // namespace

std::vector<ModuleExposure> exposuresOf(const ResolvedVariant& variant) {
    std::vector<ModuleExposure> all;
    for (const auto& [path, choice] : variant.stackSlots)
        for (const Exposure& exposure : builtinCatalogue().at(path.substr(path.find('.') + 1), choice.id).exposures)
            all.push_back({path, "", exposure});
    for (const ResolvedSublayer* sublayer : sublayersOf(variant)) {
        if (sublayer->slots.contains("scorer")) all.push_back({sublayer->path, sublayer->path, weightOf(*sublayer)});
        for (const auto& [slot, choice] : sublayer->slots) {
            if (slot == "normaliser") continue;
            for (const Exposure& exposure : builtinCatalogue().at(slot, choice.id).exposures)
                all.push_back({sublayer->path + "." + slot, sublayer->path, exposure});
        }
    }
    return all;
}

}  // namespace heddle
