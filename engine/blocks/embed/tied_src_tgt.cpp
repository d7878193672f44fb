// SPDX-License-Identifier: Apache-2.0
// Token embedding with one table for source and target; formula and shapes in engine/blocks/embed/embedding.cpp.
#include "engine/blocks/embed/embedding.h"

namespace heddle {

namespace {

constexpr EmbeddingTies kTiedSourceTarget{.sourceIsTarget = true, .targetIsOutput = false};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeTiedSourceTargetEmbedding() {
    BlockDescriptor b = describeEmbedding(kTiedSourceTarget);
    b.title = "Embeddings shared by both sides";
    b.summary = "Shared embeddings: source and target share one trained table.";
    b.otherTie = "tied_all";
    return b;
}

#else

std::unique_ptr<Block> makeTiedSourceTargetEmbedding(const BuildContext& context) {
    return makeEmbedding(context, embeddingOptions().read(context.params), kTiedSourceTarget);
}

#endif

}  // namespace heddle
