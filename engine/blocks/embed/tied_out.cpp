// SPDX-License-Identifier: Apache-2.0
// Token embedding whose target table is also the head's weight (Press and Wolf 2017); formula and shapes in
// engine/blocks/embed/embedding.cpp.
#include "engine/blocks/embed/embedding.h"

namespace heddle {

namespace {

constexpr EmbeddingTies kTiedOut{.sourceIsTarget = false, .targetIsOutput = true};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeTiedOutputEmbedding() {
    BlockDescriptor b = describeEmbedding(kTiedOut);
    b.title = "Embeddings tied to the output";
    b.summary =
        "Weight tying (Press and Wolf 2017): the target embeddings and the output projection share one table; the source has "
        "its own.";
    b.otherTie = "learned";
    return b;
}

#else

std::unique_ptr<Block> makeTiedOutputEmbedding(const BuildContext& context) {
    return makeEmbedding(context, embeddingOptions().read(context.params), kTiedOut);
}

#endif

}  // namespace heddle
