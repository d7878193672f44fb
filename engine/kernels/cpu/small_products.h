// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Products of matrices that fit into the caches, as in attention heads, for which a library's preparation would cost as much
/// as the product. Without torch, single-threaded.
namespace heddle::rows {

/// Element (i, j) is at[i · row + j · column].
struct Matrix {
    const float* at = nullptr;
    std::int64_t row = 0, column = 1;
};

/// c [m,n] with contiguous rows at stride `row`.
struct ProductTarget {
    float* at = nullptr;
    std::int64_t row = 0;
    float scale = 1;    ///< of the product
    bool adds = false;  ///< accumulate into c
};

/// c = scale · a b, or c + scale · a b: a [m,k], b [k,n]. Every element is summed in the order of k, independent of m and n.
void product(const Matrix& a, const Matrix& b, const ProductTarget& c, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace heddle::rows
