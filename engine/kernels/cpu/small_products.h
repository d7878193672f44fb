// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Products of matrices that fit into a processor's caches, as the heads of attention have them: what a library spends on
/// preparing such a product is as much as the product. Free of torch, one thread.
namespace heddle::rows {

/// Element (i, j) is at[i · row + j · column].
struct Matrix {
    const float* at = nullptr;
    std::int64_t row = 0, column = 1;
};

/// c [m,n], its rows `row` apart and dense.
struct ProductTarget {
    float* at = nullptr;
    std::int64_t row = 0;
    float scale = 1;    ///< of the product
    bool adds = false;  ///< to what is there
};

/// c = scale · a b, or c + scale · a b: a [m,k], b [k,n]. Every element is summed in the order of k, whatever m and n are.
void product(const Matrix& a, const Matrix& b, const ProductTarget& c, std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace heddle::rows
