// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"
#include "tests/dev/engine/launch_log.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

// The model of an H100 knows shapes, types and strides alone: matrix products in tiles over 132 multiprocessors, 2.5 TB/s of
// memory, at least 1.6 µs a kernel and 1 µs for its node in a graph. Trust its shares, not its digits: beside seven steps that
// were measured its sum was 0.84 to 1.23 times the time (engine/kernels/README.md).

/// Of one call of a kernel of Heddle's.
#define HEDDLE_COST_OF(name, Arguments, launches) LaunchCost costOf(const cuda::Arguments& a);
HEDDLE_FOR_CUDA_KERNELS(HEDDLE_COST_OF)
#undef HEDDLE_COST_OF

/// Of one call of an operator of ATen, by its name without namespace.
LaunchCost costOfOperator(const std::string& name, const std::vector<at::Tensor>& operands,
                          const std::vector<at::Tensor>& results);

/// Of attention by torch, forward or backward: `operands` are q, k and v [B,H,S,E].
LaunchCost costOfAttention(bool isBackward, const std::vector<at::Tensor>& operands, const std::vector<at::Tensor>& results);

/// A matrix product: b products of [m,k] and [k,n].
struct ProductSizes {
    std::int64_t b, m, n, k;
};
/// Of a product of bfloat16 matrices that moves so many bytes.
LaunchCost costOfProduct(const ProductSizes& product, double bytes, std::string sizes);

/// Of a kernel that is limited by the bytes that it moves, in `launches` launches.
LaunchCost costOfMoving(double bytes, int launches, std::string sizes);

}  // namespace heddle
