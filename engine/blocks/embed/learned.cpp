// SPDX-License-Identifier: Apache-2.0
// Learned token embedding with one table per side; formula and shapes in engine/blocks/embed/embedding.cpp.
#include "engine/blocks/embed/embedding.h"

namespace heddle {

namespace {

constexpr EmbeddingTies kLearned{.sourceIsTarget = false, .targetIsOutput = false};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeLearnedEmbedding() {
    BlockDescriptor b = describeEmbedding(kLearned);
    b.title = "Learned embeddings";
    b.summary = "Learned embeddings: one trained table for the source and one for the target.";
    b.otherTie = "tied_out";
    return b;
}

#else

std::unique_ptr<Block> makeLearnedEmbedding(const BuildContext& context) {
    return makeEmbedding(context, embeddingOptions().read(context.params), kLearned);
}

#endif

}  // namespace heddle
