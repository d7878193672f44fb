// SPDX-License-Identifier: Apache-2.0
// Frozen word vectors (StarSaber paper, section 4; Mikolov et al. 2013): x = c · E[id], E [V,D] given and never trained. It is
// neither counted nor stored in a checkpoint. Formula and shapes in engine/blocks/embed/embedding.cpp.
#include "engine/blocks/embed/embedding.h"

namespace heddle {

namespace {

constexpr EmbeddingTies kFrozenFile{.sourceIsTarget = false, .targetIsOutput = false, .isFrozen = true};

const OptionFields<EmbeddingOptions>& frozenFileOptions() {
    static const auto kFields =
        OptionFields<EmbeddingOptions>()
            .add(embeddingOptions())
            .add(&EmbeddingOptions::vectors,
                 fields::choice<FrozenVectors>("vectors",
                                               "file: the word vectors that data.vectors names; random: fixed "
                                               "vectors drawn from N(0, 1) with the seed, as a control."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeFrozenFileEmbedding() {
    BlockDescriptor b = describeEmbedding(kFrozenFile);
    b.title = "Frozen word vectors";
    b.summary =
        "Pretrained word vectors (word2vec, Mikolov et al. 2013): fixed embeddings read from a file; they are not trained and "
        "not counted as parameters.";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), section 4; Mikolov et al. 2013 (word2vec, arXiv "
        "1301.3781)";
    b.parameters = frozenFileOptions().schema();
    return b;
}

#else

std::unique_ptr<Block> makeFrozenFileEmbedding(const BuildContext& context) {
    return makeEmbedding(context, frozenFileOptions().read(context.params), kFrozenFile);
}

#endif

}  // namespace heddle
