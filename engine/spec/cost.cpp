// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/cost.h"

#include "engine/base/error.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>

namespace heddle {
namespace {

/// FLOPs of a training step's backward pass through a block ÷ those of one evaluation of it: 2 for every evaluation that the
/// gradient goes through (a matrix product has two factors), 1 for an evaluation of vᵀJ alone (implicit differentiation).
std::int64_t backwardShare(const ResolvedVariant& variant, const BlockContext& where) {
    if (!where.sublayer || !where.stack) return 2;
    const auto share = variant.stackSlots.find(childPath(wordOf(*where.stack), "share"));
    if (share == variant.stackSlots.end()) return 2;
    const auto& iterates = builtinCatalogue().at("share", share->second.id).iterates;
    return iterates ? iterates(share->second.params).backward : 2 * where.passes;
}

}  // namespace

std::int64_t labelsAtOnce(const ResolvedVariant& variant, std::int64_t logitsAtOnce) {
    return std::max<std::int64_t>(1, logitsAtOnce / std::max<std::int64_t>(1, variant.dims.vocabTgt));
}

bool hasVocabulary(const ResolvedVariant& variant) {
    if (variant.dims.vocabSrc > 0 && variant.dims.vocabTgt > 0) return true;
    bool isUsed = false;
    forEachBlock(variant, [&](const auto&, const auto& slot, const BlockChoice& choice, const BlockContext&) {
        isUsed = isUsed || builtinCatalogue().at(slot, choice.id).usesVocabulary;
    });
    return !isUsed;
}

void throwIfVocabularyIsMissing(const ResolvedVariant& variant) {
    if (hasVocabulary(variant)) return;
    if (variant.topology == Topology::EncoderDecoder)
        throwInvalid("unknown vocabulary sizes", "dims.vocab_src, dims.vocab_tgt",
                     "set them with --set dims.vocab_src=N --set dims.vocab_tgt=N, or train, which takes them from the data");
    const std::string own = variant.decoder.empty() ? "dims.vocab_src" : "dims.vocab_tgt";  // a single stack has one vocabulary
    throwInvalid("unknown vocabulary size", own, "set it with --set " + own + "=N, or train, which takes it from the data");
}

std::int64_t longestSequence(const ResolvedVariant& variant) {
    std::int64_t longest = variant.dims.maxLen;
    forEachBlock(variant, [&](const auto&, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        const auto& block = builtinCatalogue().at(slot, choice.id);
        if (block.longestSequence) longest = std::min(longest, block.longestSequence(where, choice.params));
    });
    return longest;
}

Cost countCost(const ResolvedVariant& variant, std::int64_t tokens) {
    throwIfVocabularyIsMissing(variant);
    Cost cost;
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, BlockContext where) {
        if (slot == "init") return;  // not a module
        where.sequence = tokens;
        const auto& block = builtinCatalogue().at(slot, choice.id);
        const auto parameters = block.parameterCount(where, choice.params);
        const double flops = block.flopsPerToken(where, choice.params);
        cost.modules.push_back({path, parameters, static_cast<double>(where.passes) * flops,
                                static_cast<double>(backwardShare(variant, where)) * flops});
        cost.parameters += parameters;
    });
    return cost;
}

}  // namespace heddle
