// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// Which of source table, target table and head weight are shared.
struct EmbeddingTies {
    bool sourceIsTarget = false, targetIsOutput = false;
    bool isFrozen = false;  ///< the tables are not trained and not counted
};

enum class EmbeddingScale { One, SqrtD };
template <>
struct ChoiceWords<EmbeddingScale> {
    static constexpr ChoiceWord<EmbeddingScale> kAll[] = {{"one", EmbeddingScale::One}, {"sqrt_d", EmbeddingScale::SqrtD}};
};

enum class EmbeddingNorm { None, LayerNorm };
template <>
struct ChoiceWords<EmbeddingNorm> {
    static constexpr ChoiceWord<EmbeddingNorm> kAll[] = {{"none", EmbeddingNorm::None},
                                                         {"layernorm", EmbeddingNorm::LayerNorm}};
};

/// Where the vectors of frozen tables come from.
enum class FrozenVectors { File, Random };
template <>
struct ChoiceWords<FrozenVectors> {
    static constexpr ChoiceWord<FrozenVectors> kAll[] = {{"file", FrozenVectors::File}, {"random", FrozenVectors::Random}};
};

struct EmbeddingOptions {
    EmbeddingScale scale{};
    EmbeddingNorm norm{};
    double eps = 0, dropout = 0;
    bool normBias = true;
    FrozenVectors vectors{};  ///< used by frozen tables only
};

/// The options of all token embeddings, without `vectors`.
const OptionFields<EmbeddingOptions>& embeddingOptions();

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeEmbedding(const BuildContext& context, const EmbeddingOptions& o, EmbeddingTies ties);
#else
/// The common part of the descriptors: parameters, count, check.
BlockDescriptor describeEmbedding(EmbeddingTies ties);
#endif

}  // namespace heddle
