// SPDX-License-Identifier: Apache-2.0
// Sums that are added up after the backward pass, on a CUDA device beside float64 on the CPU.
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/late_sums.h"
#include "engine/kernels/reduced.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::relative;

/// The gradient of a bias [64] that two products of 1000 rows share, more often than one launch packs.
at::Tensor sharedBiasGradient(bool isLate) {
    const auto onFirst = [](const at::Tensor& x) { return x.to(at::Device(at::kCUDA, 0), at::kFloat); };
    const at::Tensor x = onFirst(drawnDoubles(3, "x", {1000, 32})), dy = onFirst(drawnDoubles(3, "dy", {1000, 64})),
                     weight = onFirst(drawnDoubles(3, "weight", {64, 32})).requires_grad_(),
                     bias = onFirst(drawnDoubles(3, "bias", {64})).requires_grad_();
    const ReducedParameters copies({weight, bias});
    std::unique_ptr<LateSums> late = isLate ? std::make_unique<LateSums>() : nullptr;
    constexpr int kPasses = 65;
    for (int pass = 0; pass < kPasses; ++pass) {
        const ReducedScope reduces(&copies);
        (affine(x, weight, bias) + affine(x, weight, bias)).backward(dy.to(at::kBFloat16));
    }
    if (late) late->finish();
    return bias.grad().cpu() / kPasses;
}

TEST(CudaKernelsOfSums, LateOnesAreThoseMadeAtOnce) {
    if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
    if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    const at::Tensor expected = drawnDoubles(3, "dy", {1000, 64}).to(at::kBFloat16).to(at::kDouble).sum(0) * 2;
    EXPECT_LT(relative(sharedBiasGradient(false), expected), 1e-4);
    const at::Tensor late = sharedBiasGradient(true);
    EXPECT_LT(relative(late, expected), 1e-4);
    EXPECT_TRUE(at::equal(late, sharedBiasGradient(true)));
}

}  // namespace
}  // namespace heddle
