// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/cost.h"

#include "engine/spec/error.h"
#include "engine/spec/variant_resolve.h"

#include <algorithm>

namespace heddle {

bool hasVocabulary(const ResolvedVariant& variant, const Catalogue& catalogue) {
    if (variant.dims.vocabSrc > 0 && variant.dims.vocabTgt > 0) return true;
    bool isUsed = false;
    forEachBlock(variant, [&](const auto&, const auto& slot, const BlockChoice& choice, const BlockContext&) {
        isUsed = isUsed || catalogue.at(slot, choice.id).usesVocabulary;
    });
    return !isUsed;
}

void throwIfVocabularyIsMissing(const ResolvedVariant& variant, const Catalogue& catalogue) {
    if (hasVocabulary(variant, catalogue)) return;
    throwInvalid("the vocabulary sizes are not known", "dims.vocab_src, dims.vocab_tgt",
                 "state them: --set dims.vocab_src=N --set dims.vocab_tgt=N; or train with data to find them in");
}

std::int64_t longestSequence(const ResolvedVariant& variant, const Catalogue& catalogue) {
    std::int64_t longest = variant.dims.maxLen;
    forEachBlock(variant, [&](const auto&, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        const auto& block = catalogue.at(slot, choice.id);
        if (block.longestSequence) longest = std::min(longest, block.longestSequence(where, choice.params));
    });
    return longest;
}

Cost countCost(const ResolvedVariant& variant, const Catalogue& catalogue) {
    throwIfVocabularyIsMissing(variant, catalogue);
    Cost cost;
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        if (slot == "init") return;  // not a module
        const auto& block = catalogue.at(slot, choice.id);
        const auto parameters = block.parameterCount(where, choice.params);
        cost.modules.push_back(
            {path, parameters, static_cast<double>(where.passes) * block.flopsPerToken(where, choice.params)});
        cost.parameters += parameters;
    });
    return cost;
}

}  // namespace heddle
