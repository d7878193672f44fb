// SPDX-License-Identifier: Apache-2.0
#pragma once

// A product with an epilogue as cuBLASLt has it. The library counts by columns: a row-major matrix [R,C] is one of C rows and R
// columns there. Also compiled for the tests, which compute what this describes.

#include "engine/device/cuda_product_arguments.h"

namespace heddle::cuda {

/// d [m,n] = scale · op(a) op(b) with op(a) [m,k], op(b) [k,n]; a is the factor, b is dy, op(a) is a.
struct ColumnProduct {
    struct Matrix {
        std::int64_t rows, columns, stride;  ///< stride: from column to column
    };
    std::int64_t m, n, k;
    Matrix a, b, d;
    bool transposesB;  ///< op(b) is bᵀ
};

/// With BiasGradient, CUBLASLT_EPILOGUE_BGRADB adds up op(b) over k; it asks for a transposed b and a plain a, and the sums
/// have the type of d. With ReluGradient, CUBLASLT_EPILOGUE_DRELU reads a mask by columns, whose stride is that of d in bits.
constexpr ColumnProduct columnProductOf(const ProductShape& s) {
    const ColumnProduct::Matrix dy{s.outputs, s.rows, s.dyStride};
    if (s.epilogue == ProductEpilogue::BiasGradient)
        return {s.inputs, s.outputs, s.rows, {s.inputs, s.rows, s.factorStride}, dy, {s.inputs, s.outputs, s.inputs}, true};
    return {s.inputs, s.rows, s.outputs, {s.inputs, s.outputs, s.factorStride}, dy, {s.inputs, s.rows, s.inputs}, false};
}

}  // namespace heddle::cuda
