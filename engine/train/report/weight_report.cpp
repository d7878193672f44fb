// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/weight_report.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/module_path.h"
#include "engine/train/report/histogram.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace heddle {
namespace {

struct Threshold {
    double epsilon;
    const char* series;
};
constexpr std::array<Threshold, 4> kThresholds{
    {{0, "near_zero@0"}, {1e-4, "near_zero@0.0001"}, {1e-3, "near_zero@0.001"}, {1e-2, "near_zero@0.01"}}};
constexpr HistogramRange kRange{-8, 2};

/// log10 |w|; a zero becomes a value below the range, not minus infinity, which would count as not finite.
at::Tensor logarithms(const at::Tensor& magnitudes) { return magnitudes.clamp_min(1e-30).log10(); }

HistogramTaken histogramOf(const at::Tensor& magnitudes, const std::string& path) {
    const auto row = countHistogram(logarithms(magnitudes), kRange).to(at::kCPU);
    HistogramTaken histogram = readHistogram(row.const_data_ptr<double>(), kRange);
    histogram.name = "log10_weight";
    histogram.path = path;
    return histogram;
}

/// Adds one value per threshold over all weights in `magnitudes`.
void addShares(StepBlock& block, const at::Tensor& magnitudes, const std::string& path, std::int64_t step) {
    for (const Threshold& threshold : kThresholds) {
        const auto count = magnitudes.le(threshold.epsilon).sum().item<std::int64_t>();
        const double share = static_cast<double>(count) / static_cast<double>(magnitudes.numel());
        block.series.push_back({threshold.series, path, step, 1, {static_cast<float>(share)}, true});
    }
}

}  // namespace

void emitWeightReport(const ParameterStore& parameters, Emitter& emitter, std::int64_t step) {
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> all;
    std::map<std::string, std::vector<at::Tensor>> byModule;
    for (const auto& entry : parameters.entries()) {
        all.push_back(entry.tensor.detach().flatten().abs());
        byModule[modulePath(entry.path)].push_back(all.back());
        if (entry.tensor.dim() >= 2) emitter.emitAt(step, histogramOf(all.back(), entry.path));
    }
    const auto magnitudes = at::cat(all);
    emitter.emitAt(step, histogramOf(magnitudes, ""));

    StepBlock block;
    addShares(block, magnitudes, "", step);
    for (const auto& [path, weights] : byModule) addShares(block, at::cat(weights), path, step);
    emitter.emitAt(step, std::move(block));
}

}  // namespace heddle
