// SPDX-License-Identifier: Apache-2.0
// StarSaber's update on a CUDA device beside its definition in float64 on the CPU.
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/tanh_update.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::leaf;
using testing_support::relative;

/// Of `type` on the first device, collecting a gradient.
at::Tensor updateLeaf(const at::Tensor& x, at::ScalarType type) { return x.to(at::kCUDA, type).set_requires_grad(true); }

void updatesAsOnTheCpu(std::int64_t width, std::int64_t alphas, at::ScalarType type) {
    const std::vector<std::int64_t> sizes{3, 67, width};
    const auto rounded = [&](const char* name) { return drawnDoubles(3, name, sizes).to(type); };
    const at::Tensor h = drawnDoubles(3, "h", sizes).to(at::kFloat), a = rounded("a"), direct = rounded("direct"),
                     alpha = drawnDoubles(3, "alpha", {alphas}).to(at::kFloat),
                     dy = drawnDoubles(3, "dy", sizes).to(at::kFloat);
    const RandomKey key = randomKey(1, "sublayer", 17);
    const at::Tensor hOn = updateLeaf(h, at::kFloat), aOn = updateLeaf(a, type), directOn = updateLeaf(direct, type),
                     alphaOn = updateLeaf(alpha, at::kFloat);
    ASSERT_TRUE(updatesInOnePass(hOn));
    const at::Tensor joint = at::cat({directOn, directOn}, -1);  // rows apart, as in a joint product
    const at::Tensor y = tanhUpdate({hOn, aOn, joint.narrow(-1, 0, width), alphaOn, 1, key, 0.3});
    y.backward(dy.to(at::kCUDA));
    const at::Tensor h64 = leaf(h), a64 = leaf(a), direct64 = leaf(direct), alpha64 = leaf(alpha);
    const at::Tensor expected = h64 + alpha64 * dropout(key, 0.3, at::tanh(a64 + direct64));
    expected.backward(dy.to(at::kDouble));
    const double tolerance = type == at::kFloat ? 1e-5 : 1e-2;
    EXPECT_LT(relative(y.cpu(), expected), 1e-5);
    EXPECT_LT(relative(hOn.grad().cpu(), h64.grad()), 1e-6);
    EXPECT_LT(relative(aOn.grad().cpu(), a64.grad()), tolerance);
    EXPECT_LT(relative(directOn.grad().cpu(), direct64.grad()), tolerance);
    EXPECT_LT(relative(alphaOn.grad().cpu(), alpha64.grad()), 1e-4);
}

TEST(CudaKernelsOfUpdates, AreThoseOfTheCpu) {
    if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
    if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    for (const std::int64_t width : {16, 144, 512, 1040, 8192})
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
            updatesAsOnTheCpu(width, 1, type);
            updatesAsOnTheCpu(width, width, type);
        }
}

}  // namespace
}  // namespace heddle
