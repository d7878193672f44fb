// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>

namespace heddle {

/// The learning rate of update number `step` (from 1) for a model of width `d`. With w = max(1, warmup):
///   constant               lr
///   noam                   noamFactor · d^-½ · min(step^-½, step · w^-3/2)      Vaswani et al. 2017, eq. 3
///   noam_peak              lr · min(step / w, √(w / step))
///   constant_after_warmup  lr · min(1, step / w)
/// Throws Error(InvalidInput) for an unknown schedule or a step below 1.
double learningRate(const TrainSpec& spec, std::int64_t d, std::int64_t step);

}  // namespace heddle
