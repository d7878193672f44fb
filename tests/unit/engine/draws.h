// SPDX-License-Identifier: Apache-2.0
// Normal draws that a test names by a seed and a word.
#pragma once

#include "engine/base/philox.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"

#include <string>

namespace heddle::testing_support {

inline at::Tensor drawnDoubles(std::uint64_t seed, const std::string& name, at::IntArrayRef sizes) {
    return normal(randomKey(seed, name), sizes, 0, 1);
}

inline at::Tensor drawnFloats(std::uint64_t seed, const std::string& name, at::IntArrayRef sizes) {
    return drawnDoubles(seed, name, sizes).to(at::kFloat);
}

}  // namespace heddle::testing_support
