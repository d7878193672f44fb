// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda/arguments.h"
#include "engine/device/random.h"
#include "engine/device/row_kernels.h"

#include <vector>

namespace heddle {

/// What dropout(key, p, …) keeps, for the row kernels; a step at stepAt is read here. Throws Error(InvalidInput) for p outside
/// [0,1).
rows::Drop dropOf(const RandomKey& key, double p);

/// The same for the kernels of the CUDA module, which look the step up when they run.
cuda::Drop cudaDropOf(const RandomKey& key, double p);

/// A key as autograd can keep it for the way back.
std::vector<std::int64_t> packedKey(const RandomKey& key);
RandomKey unpackedKey(const std::vector<std::int64_t>& words);

}  // namespace heddle
