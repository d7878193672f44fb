// SPDX-License-Identifier: Apache-2.0
#include "engine/train/histogram.h"

#include "engine/device/torch_pch.h"

#include <limits>

namespace heddle {
namespace {

// Columns after the bins.
constexpr std::int64_t kBelow = kHistogramBins, kAbove = kBelow + 1, kNotFinite = kAbove + 1, kSum = kNotFinite + 1;

}  // namespace

at::Tensor countHistogram(const at::Tensor& values, const HistogramRange& range) {
    const at::NoGradGuard noGrad;
    const auto x = values.detach().flatten().to(at::kFloat);
    const auto finite = at::isfinite(x);
    const double perUnit = static_cast<double>(kHistogramBins) / (range.high - range.low);
    const auto constant = [&](std::int64_t value) { return at::full({}, value, x.options()); };
    auto column = ((x - range.low) * perUnit).floor_().clamp_max_(static_cast<double>(kHistogramBins - 1));
    column = at::where(x.lt(range.low), constant(kBelow), column);
    column = at::where(x.gt(range.high), constant(kAbove), column);
    column = at::where(finite, column, constant(kNotFinite));
    const auto counts = at::zeros({kNotFinite + 1}, x.options().dtype(at::kDouble));
    counts.scatter_add_(0, column.to(at::kLong), at::ones({}, counts.options()).expand_as(x));

    const double infinity = std::numeric_limits<double>::infinity();
    const auto kept = x.masked_fill(finite.logical_not(), 0.0).to(at::kDouble);
    const auto lowest = x.masked_fill(finite.logical_not(), infinity).amin().to(at::kDouble);
    const auto highest = x.masked_fill(finite.logical_not(), -infinity).amax().to(at::kDouble);
    return at::cat({counts, at::stack({kept.sum(), kept.square().sum(), lowest, highest})});
}

HistogramTaken readHistogram(const double* row, const HistogramRange& range) {
    HistogramTaken histogram;
    histogram.low = range.low;
    histogram.high = range.high;
    double finite = row[kBelow] + row[kAbove];
    for (std::int64_t i = 0; i < kHistogramBins; ++i) {
        histogram.bins.push_back(static_cast<std::uint32_t>(row[i]));
        finite += row[i];
    }
    histogram.below = static_cast<std::uint64_t>(row[kBelow]);
    histogram.above = static_cast<std::uint64_t>(row[kAbove]);
    histogram.notFinite = static_cast<std::uint64_t>(row[kNotFinite]);
    if (finite == 0) return histogram;
    histogram.mean = row[kSum] / finite;
    histogram.deviation = std::sqrt(std::max(0.0, row[kSum + 1] / finite - histogram.mean * histogram.mean));
    histogram.minimum = row[kSum + 2];
    histogram.maximum = row[kSum + 3];
    return histogram;
}

}  // namespace heddle
