// SPDX-License-Identifier: Apache-2.0
#include "engine/train/weight_report.h"

#include "engine/device/torch_pch.h"
#include "engine/train/histogram.h"

#include <array>

namespace heddle {
namespace {

struct Threshold {
    double epsilon;
    const char* path;
};
constexpr std::array<Threshold, 4> kThresholds{{{0, "eps=0"}, {1e-4, "eps=0.0001"}, {1e-3, "eps=0.001"}, {1e-2, "eps=0.01"}}};
constexpr HistogramRange kRange{-8, 2};

/// log10 |w|; a zero becomes a value below the range instead of minus infinity, which would count as not finite.
at::Tensor logarithms(const at::Tensor& magnitudes) { return magnitudes.clamp_min(1e-30).log10(); }

}  // namespace

void emitWeightReport(const ParameterStore& parameters, Emitter& emitter, std::int64_t step) {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> flat;
    for (const auto& entry : parameters.entries()) {
        flat.push_back(entry.tensor.detach().flatten().abs());
        if (entry.tensor.dim() < 2) continue;
        const auto row = countHistogram(logarithms(flat.back()), kRange).to(at::kCPU);
        HistogramTaken histogram = readHistogram(row.const_data_ptr<double>(), kRange);
        histogram.name = "log10_weight";
        histogram.path = entry.path;
        emitter.emitAt(step, std::move(histogram));
    }
    const auto magnitudes = at::cat(flat);
    const auto row = countHistogram(logarithms(magnitudes), kRange).to(at::kCPU);
    HistogramTaken histogram = readHistogram(row.const_data_ptr<double>(), kRange);
    histogram.name = "log10_weight";
    emitter.emitAt(step, std::move(histogram));

    StepBlock block;
    for (const Threshold& threshold : kThresholds) {
        const auto count = magnitudes.le(threshold.epsilon).sum().item<std::int64_t>();
        const double share = static_cast<double>(count) / static_cast<double>(magnitudes.numel());
        block.series.push_back({"near_zero", threshold.path, step, 1, {static_cast<float>(share)}, true});
    }
    emitter.emitAt(step, std::move(block));
}

}  // namespace heddle
