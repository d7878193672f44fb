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

/// The fastest square matrix product on random data among a few sizes, in the arithmetic of that precision; what the share of
/// a training step is told in.
GemmCeiling measureGemmCeiling(const at::Device& device, Precision precision);

/// How many times as fast as in float32 this CPU multiplies matrices in bfloat16, by a small product: some milliseconds.
/// Below 1 on processors without instructions for bfloat16.
double bfloat16Gain();

}  // namespace heddle
