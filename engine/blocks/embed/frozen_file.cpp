// SPDX-License-Identifier: Apache-2.0
// Frozen word vectors (StarSaber paper, section 4; Mikolov et al. 2013): x = c · E[id], E [V,D] given and never trained. It is
// neither counted nor stored in a checkpoint. Formula and shapes in engine/blocks/embedding.cpp.
#include "engine/blocks/embedding.h"

namespace heddle {

namespace {

constexpr EmbeddingTies kFrozenFile{.sourceIsTarget = false, .targetIsOutput = false, .isFrozen = true};

const OptionFields<EmbeddingOptions>& frozenFileOptions() {
    static const auto kFields =
        OptionFields<EmbeddingOptions>()
            .add(embeddingOptions())
            .add(&EmbeddingOptions::vectors,
                 fields::choice("vectors", {"file", "random"},
                                "A file of word vectors belongs to the data; random: frozen N(0, 1) rows drawn from the seed, "
                                "a control."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeFrozenFileEmbedding() {
    BlockDescriptor b = describeEmbedding(kFrozenFile);
    b.title = "Frozen word vectors";
    b.summary = "Word vectors that were made elsewhere: not trained, not counted.";
    b.reference = "StarSaber paper, section 4 (word2vec)";
    b.parameters = frozenFileOptions().schema();
    return b;
}

#else

std::unique_ptr<Block> makeFrozenFileEmbedding(const BuildContext& context) {
    return makeEmbedding(context, frozenFileOptions().read(context.params), kFrozenFile);
}

#endif

}  // namespace heddle
