// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"
#include "engine/train/report/emitter.h"

namespace heddle {

/// Scans all parameters (at evaluations only: it reads every weight several times) and emits
///   series "near_zero@0", "near_zero@0.0001", "near_zero@0.001", "near_zero@0.01": share of the parameters with |w| ≤ that, of
///   each module by its path ("encoder.layers.0.self.scorer") and, with an empty path, of the whole model;
///   histograms "log10_weight": log10 |w| in 64 bins over [-8, 2] for every matrix by its path and, with an empty path, for all
///   parameters together. Exact zeros are below the range.
void emitWeightReport(const ParameterStore& parameters, Emitter& emitter, std::int64_t step);

}  // namespace heddle
