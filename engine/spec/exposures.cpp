// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/exposures.h"

namespace heddle {

std::vector<ModuleExposure> exposuresOf(const ResolvedVariant& variant, const Catalogue& catalogue) {
    std::vector<ModuleExposure> all;
    const auto ofBlock = [&](const std::string& slot, const BlockChoice& choice, const ModuleExposure& place) {
        for (const Exposure& exposure : catalogue.at(slot, choice.id).exposures)
            all.push_back({place.module, place.sublayer, exposure});
    };
    // A normaliser whose weights are no shares says so of the tap that the attention has.
    const auto ofNormaliser = [&](const BlockChoice& choice, const Exposure& exposure) {
        for (const Exposure& own : catalogue.at("normaliser", choice.id).exposures)
            if (own.id == exposure.id) return own;
        return exposure;
    };
    for (const auto& [path, choice] : variant.stackSlots) ofBlock(path.substr(path.find('.') + 1), choice, {path, "", {}});
    for (const auto* stack : {&variant.encoder, &variant.decoder}) {
        for (const ResolvedLayer& layer : *stack) {
            for (const ResolvedSublayer& sublayer : layer.sublayers) {
                const auto normaliser = sublayer.slots.find("normaliser");
                if (sublayer.slots.contains("scorer"))
                    for (const Exposure& exposure : sublayerExposures(sublayer.name))
                        all.push_back(
                            {sublayer.path, sublayer.path,
                             normaliser == sublayer.slots.end() ? exposure : ofNormaliser(normaliser->second, exposure)});
                for (const auto& [slot, choice] : sublayer.slots)
                    if (slot != "normaliser") ofBlock(slot, choice, {sublayer.path + "." + slot, sublayer.path, {}});
            }
        }
    }
    return all;
}

}  // namespace heddle
