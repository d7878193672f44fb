// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/precision.h"

#include <c10/core/Device.h>

#include <string>

namespace heddle {

struct GemmCeiling {
    double gflops = 0;  ///< 10⁹ operations a second
    std::string product;
};

/// The fastest square matrix product on random data among a few sizes, in the given precision: the reference for a training
/// step's share.
GemmCeiling measureGemmCeiling(const at::Device& device, Precision precision);

/// Speed of bfloat16 matrix products relative to float32 on this CPU, measured with a small product in a few milliseconds.
/// Below 1 on processors without bfloat16 instructions.
double bfloat16Gain();

}  // namespace heddle
