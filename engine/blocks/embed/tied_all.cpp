// SPDX-License-Identifier: Apache-2.0
// Token embedding with one table for source, target and head (Vaswani et al. 2017, section 3.4); formula and shapes in
// engine/blocks/embed/embedding.cpp.
#include "engine/blocks/embed/embedding.h"

namespace heddle {

namespace {

constexpr EmbeddingTies kTiedAll{.sourceIsTarget = true, .targetIsOutput = true};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeTiedAllEmbedding() {
    BlockDescriptor b = describeEmbedding(kTiedAll);
    b.title = "One table for everything";
    b.summary =
        "Three-way weight tying (Press and Wolf 2017): the source embeddings, the target embeddings and the output projection "
        "share one table.";
    b.otherTie = "tied_src_tgt";
    return b;
}

#else

std::unique_ptr<Block> makeTiedAllEmbedding(const BuildContext& context) {
    return makeEmbedding(context, embeddingOptions().read(context.params), kTiedAll);
}

#endif

}  // namespace heddle
