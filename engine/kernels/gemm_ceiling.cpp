// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/gemm_ceiling.h"

#include "engine/analysis/spread.h"
#include "engine/device/random.h"
#include "engine/device/step_clock.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"

#include <vector>

namespace heddle {
namespace {

/// Seconds of x yᵀ, median of a few.
double secondsOf(const at::Tensor& x_NI, const at::Tensor& y_OI) {
    constexpr int kWarmUp = 2, kRepeats = 7;
    const StepClock clock(x_NI.device());
    std::vector<double> seconds;
    for (int i = 0; i < kWarmUp + kRepeats; ++i) {
        const double began = clock.nowSynchronized();
        affine(x_NI, y_OI, {});
        const double took = clock.nowSynchronized() - began;
        if (i >= kWarmUp) seconds.push_back(took);
    }
    return median(seconds);
}

}  // namespace

GemmCeiling measureGemmCeiling(const at::Device& device, Precision precision) {
    const at::NoGradGuard noGrad;
    const std::vector<std::int64_t> sizes =
        device.is_cuda() ? std::vector<std::int64_t>{4096, 8192} : std::vector<std::int64_t>{512, 1024, 2048};
    const bool isReduced = precision == Precision::BFloat16;
    GemmCeiling best;
    for (const std::int64_t n : sizes) {
        const auto type = isReduced ? at::kBFloat16 : at::kFloat;
        const at::Tensor x_NN = uniform(randomKey(1, "bench.gemm"), {n, n}, -1, 1).to(device, type);
        const double gflops = 2e-9 * static_cast<double>(n * n * n) / secondsOf(x_NN, x_NN.clone());
        if (gflops > best.gflops) best = {gflops, std::to_string(n) + "^3 " + wordOf(precision)};
    }
    return best;
}

double bfloat16Gain() {
    const at::NoGradGuard noGrad;
    const at::Tensor x_NI = at::ones({512, 256}), y_OI = at::ones({256, 256});
    return secondsOf(x_NI, y_OI) / secondsOf(x_NI.to(at::kBFloat16), y_OI.to(at::kBFloat16));
}

}  // namespace heddle
