// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// Equal-width bins over [low, high]; `high` itself falls into the last bin.
struct HistogramRange {
    double low = 0, high = 1;
};
inline constexpr std::int64_t kHistogramBins = 64;

/// Counts and moments of all elements of a tensor, left on its device as one row of float64: bins, below, above, not finite,
/// then sum, sum of squares, minimum and maximum of the finite ones. Does not wait for the device.
at::Tensor countHistogram(const at::Tensor& values, const HistogramRange& range);

/// The same with ATen operators only, for devices without a kernel.
at::Tensor countHistogramByOperators(const at::Tensor& values, const HistogramRange& range);

/// Converts a row of countHistogram, copied to the host, to an event; the caller sets name and path.
HistogramTaken readHistogram(const double* row, const HistogramRange& range);

}  // namespace heddle
