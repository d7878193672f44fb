// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// The kinds of token embedding differ in which of source table, target table and head weight are one and the same.
struct EmbeddingTies {
    bool sourceIsTarget = false, targetIsOutput = false;
    bool isFrozen = false;  ///< the tables are neither trained nor counted
};

struct EmbeddingOptions {
    std::string scale, norm;
    double eps = 0, dropout = 0;
    std::string vectors;  ///< of frozen tables alone
};

/// What all kinds have in common: all but `vectors`.
const OptionFields<EmbeddingOptions>& embeddingOptions();

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeEmbedding(const BuildContext& context, const EmbeddingOptions& o, EmbeddingTies ties);
#else
/// What all kinds have in common: parameters, count, check.
BlockDescriptor describeEmbedding(EmbeddingTies ties);
#endif

}  // namespace heddle
