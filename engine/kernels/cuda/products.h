// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_product_arguments.h"

namespace heddle::cuda {

/// CudaTable::productMemory.
std::int64_t productMemory(const ProductShape& shape, int device);

}  // namespace heddle::cuda
