// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/histogram.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

#include <ATen/Parallel.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace heddle {
namespace {

// Columns after the bins.
constexpr std::int64_t kBelow = kHistogramBins, kAbove = kBelow + 1, kNotFinite = kAbove + 1, kSum = kNotFinite + 1;
constexpr std::int64_t kColumns = kSum + 4;
using Row = std::array<double, kColumns>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

float binsPerUnit(const HistogramRange& range) {
    return static_cast<float>(static_cast<double>(kHistogramBins) / (range.high - range.low));
}

/// Counts n values in one pass.
Row countValues(const float* values, std::int64_t n, const HistogramRange& range) {
    const auto low = static_cast<float>(range.low), high = static_cast<float>(range.high);
    const float perUnit = binsPerUnit(range);
    std::array<std::int64_t, kNotFinite + 1> counts{};
    double sum = 0, squares = 0;
    float lowest = std::numeric_limits<float>::infinity(), highest = -lowest;
    for (std::int64_t i = 0; i < n; ++i) {
        const float x = values[i];
        if (!std::isfinite(x)) {
            ++counts[kNotFinite];
            continue;
        }
        sum += x;
        squares += static_cast<double>(x) * x;
        lowest = std::min(lowest, x);
        highest = std::max(highest, x);
        if (x < low)
            ++counts[kBelow];
        else if (x > high)
            ++counts[kAbove];
        else
            ++counts[static_cast<std::size_t>(std::min(static_cast<std::int64_t>((x - low) * perUnit), kHistogramBins - 1))];
    }
    Row row{};
    std::copy(counts.begin(), counts.end(), row.begin());
    row[kSum] = sum;
    row[kSum + 1] = squares;
    row[kSum + 2] = lowest;
    row[kSum + 3] = highest;
    return row;
}

/// Counts contiguous CPU values. Chunks have a fixed length, so that sums do not depend on the number of threads.
at::Tensor countOnCpu(const at::Tensor& x, const HistogramRange& range) {
    constexpr std::int64_t kRun = 1 << 16;
    const float* const values = x.const_data_ptr<float>();
    std::vector<Row> rows(static_cast<std::size_t>(std::max<std::int64_t>(1, (x.numel() + kRun - 1) / kRun)));
    at::parallel_for(0, static_cast<std::int64_t>(rows.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t run = begin; run < end; ++run)
            rows[static_cast<std::size_t>(run)] =
                countValues(values + run * kRun, std::min(kRun, x.numel() - run * kRun), range);
    });
    Row all = rows.front();
    for (std::size_t run = 1; run < rows.size(); ++run) {
        for (std::size_t column = 0; column < kSum + 2; ++column) all[column] += rows[run][column];
        all[kSum + 2] = std::min(all[kSum + 2], rows[run][kSum + 2]);
        all[kSum + 3] = std::max(all[kSum + 3], rows[run][kSum + 3]);
    }
    at::Tensor row = at::empty({kColumns}, at::kDouble);
    std::copy(all.begin(), all.end(), row.data_ptr<double>());
    return row;
}

}  // namespace

at::Tensor countHistogram(const at::Tensor& values, const HistogramRange& range) {
    const at::NoGradGuard noGrad;
    if (values.is_cpu()) return countOnCpu(values.detach().flatten().to(at::kFloat).contiguous(), range);
    const at::Tensor x = values.detach().contiguous();
    const CudaKernels* const kernels =
        x.numel() <= cuda::kMostHistogramValues ? kernelsFor(OwnKernel::CudaHistogram, {x}) : nullptr;
    if (!kernels) return countHistogramByOperators(values, range);
    at::Tensor row = at::empty({kColumns}, x.options().dtype(at::kDouble));
    kernels->histogram({x.numel(), kHistogramBins, readFrom(x), elementTypeOf(x), static_cast<float>(range.low),
                        static_cast<float>(range.high), binsPerUnit(range), row.mutable_data_ptr<double>()},
                       x.get_device());
    return row;
}

at::Tensor countHistogramByOperators(const at::Tensor& values, const HistogramRange& range) {
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

    const auto kept = x.masked_fill(finite.logical_not(), 0.0).to(at::kDouble);
    const auto lowest = x.masked_fill(finite.logical_not(), kInfinity).amin().to(at::kDouble);
    const auto highest = x.masked_fill(finite.logical_not(), -kInfinity).amax().to(at::kDouble);
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
