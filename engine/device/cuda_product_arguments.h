// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of matrix products with an epilogue, and of the kernel that makes the mask of one; see cuda_arguments.h.

#include "engine/device/cuda_arguments.h"

namespace heddle::cuda {

/// What a product in the backward pass of y = x Wᵀ + b, with x [N,I] and W [O,I], computes besides. Its operands are bfloat16,
/// its sums float32.
enum class ProductEpilogue {
    BiasGradient,  ///< dW = dyᵀ x [O,I] and db, the sums of dy over its rows [O], both in float32
    ReluGradient,  ///< dx = scale · dy W [N,I] in bfloat16, 0 where the mask is 0
};

/// Addresses and strides of a product's operands are multiples of this number of bytes.
inline constexpr std::int64_t kProductAlignment = 16;
/// The width of a row of a mask is a multiple of this.
inline constexpr std::int64_t kMaskedColumns = 128;

struct ProductShape {
    ProductEpilogue epilogue;
    std::int64_t rows, inputs, outputs;   ///< N, I, O
    std::int64_t dyStride, factorStride;  ///< row strides of dy [N,O], and of x or W
};
struct ProductArguments {
    ProductShape shape;
    const void *dy, *factor;    ///< factor: x for a bias' gradient, W for that of ReLU
    void* made;                 ///< dW or dx, contiguous
    float* dbias;               ///< only with BiasGradient
    const std::uint32_t* mask;  ///< only with ReluGradient; [N,I] as ReluDropoutArguments has it
    float scale;
    void* memory;  ///< in which the product works (CudaTable::productMemory)
    std::int64_t memoryBytes;
};

/// y = max(x, 0) ⊙ drop, and its mask: bit e % 32 of word e / 32 says whether element e is not 0. n is a multiple of 32.
struct ReluDropoutArguments {
    const void* x;
    void* y;
    std::uint32_t* mask;
    std::int64_t n;
    ElementType type;
    Drop drop;
};

}  // namespace heddle::cuda
