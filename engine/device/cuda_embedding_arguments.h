// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the CUDA kernels of embeddings; see cuda_arguments.h.

#include "engine/device/cuda_arguments.h"

namespace heddle::cuda {

/// Maximum number of rows of the embedding-gradient kernel without an order: it compares every position with every other.
inline constexpr std::int64_t kMostEmbeddedRows = 1 << 14;

/// table[id] += the sum of the rows of dy at the positions that have this id. Rows of the table that no position names are
/// unchanged. Sums have a fixed order. Every position is compared with every other.
struct EmbeddingGradientArguments {
    std::int64_t rows, width, words;  ///< rows and words are counts
    const std::int64_t* ids;          ///< [N]; one that is not in [0, words) is ignored
    std::int64_t ignored;             ///< this id, too; -1: none
    const void* dy;                   ///< [N,W]
    void* table;                      ///< [words,W]
    ElementType type;                 ///< of both
};
/// The same sums, but of the rows scale · (dy + Σ added) ⊙ drop, and for a known order in which positions of one id are
/// neighbours. With `added` or `drop` the width is a multiple of 4.
struct SortedEmbeddingGradientArguments {
    EmbeddingGradientArguments of;
    const std::int64_t* order;  ///< [N]: the positions, ascending by id
    float scale = 1;
    Drop drop = {};
    const void* added[DropoutArguments::kAdded] = {};  ///< [N,W], bfloat16; null: zeros
};

/// y[n] = (scale · table[id[n]] + positions[n mod S]) ⊙ drop. The width is a multiple of 4.
struct EmbedArguments {
    std::int64_t rows, width, words, places;  ///< places: S
    const std::int64_t* ids;                  ///< [N]; one that is not in [0, words) makes its row NaN
    const float* table;                       ///< [words,W]
    const float* positions;                   ///< [S,W]; null: zeros
    float scale;
    Drop drop;
    float* y;   ///< [N,W]
    void* y16;  ///< [N,W]: y in bfloat16; null: not computed
};

}  // namespace heddle::cuda
