// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/cost.h"

#include "engine/spec/error.h"
#include "engine/spec/variant_resolve.h"

namespace heddle {

Cost countCost(const ResolvedVariant& variant, const Catalogue& catalogue) {
    if (variant.dims.vocabSrc <= 0 || variant.dims.vocabTgt <= 0)
        throwInvalid("vocabulary sizes are not known", "dims.vocab_src, dims.vocab_tgt",
                     "state both: --set dims.vocab_src=N --set dims.vocab_tgt=N");
    Cost cost;
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        if (slot == "init") return;  // not a module
        const auto& block = catalogue.at(slot, choice.id);
        const auto parameters = block.parameterCount(where, choice.params);
        cost.modules.push_back({path, parameters, block.flopsPerToken(where, choice.params)});
        cost.parameters += parameters;
    });
    return cost;
}

}  // namespace heddle
