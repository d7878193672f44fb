// SPDX-License-Identifier: Apache-2.0
// Columns of a compressed attention matrix: each represents a range of the keys visible to a query.
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

#ifdef HEDDLE_MODULES

/// Of n visible keys the one of rank r (from 0) belongs to column ⌊(r + ½) W / n⌋ of W. With fewer keys than columns, columns
/// without a key are unused. Letter q: Q, or 1 where all queries see the same keys; b: B or 1.
struct KeyColumns {
    /// hidden: bool, broadcast to [B,H,Q,K], equal for all heads; undefined: all `keys` are visible.
    KeyColumns(const at::Tensor& hidden, std::int64_t keys, std::int64_t columns, const at::Device& device);

    at::Tensor visible_b1qK;  ///< bool
    at::Tensor keys_b1q1;     ///< int64, number of visible keys; at least 1
    at::Tensor column_b1qK;   ///< int64, of every visible key
    at::Tensor used_b1qW;     ///< bool, columns with a key
    /// bool: keys visible to some query. In self-attention the others are padding, as are their queries.
    at::Tensor real_b11K;
    at::Tensor rank_b11K;  ///< int64, rank of every real key among the real keys

    /// Expands columns [B,H,q,W] to keys [B,H,Q,K]; values at hidden keys are undefined.
    at::Tensor toKeys(const at::Tensor& x_BHqW, std::int64_t queries) const;
};

#endif

}  // namespace heddle
