// SPDX-License-Identifier: Apache-2.0
// Columns of a compressed attention matrix: each stands for a stretch of the keys that a query sees.
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

#ifdef HEDDLE_MODULES

/// Of n visible keys the one of rank r (from 0) belongs to column ⌊(r + ½) W / n⌋ of W. Where there are fewer keys than
/// columns, the columns without a key stand for nothing. Letter q: Q, or 1 where all queries see the same keys; b: B or 1.
struct KeyColumns {
    /// hidden: bool, broadcast to [B,H,Q,K] and the same in every head; undefined: all `keys` are visible.
    KeyColumns(const at::Tensor& hidden, std::int64_t keys, std::int64_t columns, const at::Device& device);

    at::Tensor visible_b1qK;  ///< bool
    at::Tensor keys_b1q1;     ///< int64, the visible keys; at least 1
    at::Tensor column_b1qK;   ///< int64, of every visible key
    at::Tensor used_b1qW;     ///< bool, the columns that stand for a key
    /// bool: keys that some query sees. In self-attention the others are padding, and so are their queries.
    at::Tensor real_b11K;
    at::Tensor rank_b11K;  ///< int64, of every real key among them

    /// What the keys of [B,H,q,W] have in their columns: [B,H,Q,K]; the values of hidden keys mean nothing.
    at::Tensor toKeys(const at::Tensor& x_BHqW, std::int64_t queries) const;
};

#endif

}  // namespace heddle
