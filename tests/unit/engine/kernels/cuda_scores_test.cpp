// SPDX-License-Identifier: Apache-2.0
// Carried scores on a CUDA device beside their definition in float64 on the CPU. B 2, H 3.
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/carried_weights.h"
#include "engine/kernels/cuda_kernels.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::leaf;
using testing_support::relative;

at::Tensor onFirstCuda(const at::Tensor& x) { return x.to(at::kCUDA).set_requires_grad(true); }

TEST(CudaKernelsOfScores, SumsOfBFloat16AreFloat32) {
    if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
    if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    const std::vector<std::int64_t> sizes{2, 3, 5, 64};
    const at::Tensor raw = drawnDoubles(3, "raw", sizes).to(at::kBFloat16),
                     added = drawnDoubles(3, "added", sizes).to(at::kFloat), nothing;
    const at::Tensor dsum = drawnDoubles(3, "dsum", sizes).to(at::kFloat),
                     dweights = drawnDoubles(3, "dweights", sizes).to(at::kBFloat16);
    for (const bool adds : {false, true}) {
        const at::Tensor raw16 = onFirstCuda(raw), added32 = onFirstCuda(added);
        const CarriedWeights made = carriedWeights({raw16, adds ? added32 : nothing, nothing, 2, true});
        ((made.sum * dsum.to(at::kCUDA)).sum() + (made.weights * dweights.to(at::kCUDA)).sum()).backward();

        const at::Tensor raw64 = leaf(raw), added64 = leaf(added);
        const at::Tensor sum = adds ? raw64 + added64 : raw64 * 1, weights = at::softmax(sum / 2, -1);
        ((sum * dsum).sum() + (weights * dweights).sum()).backward();
        EXPECT_EQ(made.sum.scalar_type(), at::kFloat);
        EXPECT_LT(relative(made.sum.cpu(), sum), 1e-6);
        EXPECT_LT(relative(made.weights.cpu(), weights), 1e-2);
        EXPECT_LT(relative(raw16.grad().cpu(), raw64.grad()), 1e-2);
        if (adds) {
            EXPECT_LT(relative(added32.grad().cpu(), added64.grad()), 1e-2);
        }
    }
}

}  // namespace
}  // namespace heddle
