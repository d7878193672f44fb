// SPDX-License-Identifier: Apache-2.0
// A residual sum and its normalisation on a CUDA device, in one pass, beside their definition in float64 on the CPU.
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/fused.h"
#include "engine/kernels/reduced.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::leaf;
using testing_support::relative;

/// The operands, and the gradients of the sum, of its normalisation and of the bfloat16 copy of that.
struct NormOperands {
    at::Tensor r, s, gate, weight, bias, dz, dy, dy16;
};

NormOperands normOperands(std::int64_t width, at::ScalarType type) {
    const std::vector<std::int64_t> sizes{3, 7, width};
    const auto sized = [&](const char* name) { return drawnFloats(3, name, sizes); };
    return {sized("r"),
            sized("s").to(type),
            sized("gate").to(type),
            drawnFloats(3, "weight", {width}),
            drawnFloats(3, "bias", {width}),
            sized("dz"),
            sized("dy"),
            sized("dy16").to(at::kBFloat16)};
}

at::Tensor onCudaAsLeaf(const at::Tensor& x) { return x.to(at::kCUDA).set_requires_grad(true); }

/// `reduces`: in a scope of reduced copies, where the copy has a gradient, too.
void sumsAndNormsLikeItsDefinition(const NormOperands& of, bool hasGate, bool reduces) {
    const RandomKey key = randomKey(1, "sublayer", 17);
    const std::vector<at::Tensor> operands{of.r, of.s, of.weight, of.bias, of.gate};
    std::vector<at::Tensor> device, host;
    for (const at::Tensor& x : operands) device.push_back(onCudaAsLeaf(x)), host.push_back(leaf(x));
    const at::Tensor none;
    const ReducedParameters noParameters({});
    const ReducedScope scope(reduces ? &noParameters : nullptr);
    const SumAndNorm made =
        residualAndNorm({device[0], device[1], hasGate ? device[4] : none, key, 0.3}, {device[2], device[3], 1e-5});
    at::Tensor objective = (made.z * of.dz.to(at::kCUDA)).sum() + (made.normed * of.dy.to(at::kCUDA)).sum();
    if (reduces) objective = objective + (reduced(made.normed) * of.dy16.to(at::kCUDA)).sum(at::kFloat);
    objective.backward();

    const at::Tensor dropped = dropout(key, 0.3, host[1]);
    const at::Tensor z = host[0] + (hasGate ? at::sigmoid(host[4]) * dropped : dropped),
                     y = at::layer_norm(z, {z.size(-1)}, host[2], host[3], 1e-5);
    const at::Tensor dy = of.dy.to(at::kDouble);
    ((z * of.dz).sum() + (y * (reduces ? dy + of.dy16.to(at::kDouble) : dy)).sum()).backward();
    EXPECT_LT(relative(made.z.cpu(), z), 1e-6);
    EXPECT_LT(relative(made.normed.cpu(), y), 1e-5);
    for (std::size_t i = 0; i < (hasGate ? 5U : 4U); ++i)
        EXPECT_LT(relative(device[i].grad().cpu(), host[i].grad()), of.s.scalar_type() == at::kFloat ? 1e-5 : 1e-2) << i;
}

TEST(CudaKernelsOfNorms, ASumAndItsNormAreThoseOfTheCpu) {
    if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
    if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    for (const std::int64_t width : {16, 144, 768, 1040, 8192})
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
            for (const bool hasGate : {false, true})
                for (const bool reduces : {false, true}) {
                    SCOPED_TRACE(testing::Message()
                                 << width << " " << type << (hasGate ? " gated" : "") << (reduces ? " reduced" : ""));
                    sumsAndNormsLikeItsDefinition(normOperands(width, type), hasGate, reduces);
                }
}

TEST(SumAndNormByOperators, IsItsDefinition) {
    const NormOperands of = normOperands(48, at::kFloat);
    const RandomKey key = randomKey(1, "sublayer", 17);
    for (const bool hasGate : {false, true}) {
        const at::Tensor none, dropped = dropout(key, 0.3, of.s);
        const SumAndNorm made = residualAndNorm({of.r, of.s, hasGate ? of.gate : none, key, 0.3}, {of.weight, of.bias, 1e-5});
        const at::Tensor z = of.r + (hasGate ? at::sigmoid(of.gate) * dropped : dropped);
        EXPECT_TRUE(at::equal(made.z, z));
        EXPECT_TRUE(at::equal(made.normed, at::layer_norm(z, {48}, of.weight, of.bias, 1e-5)));
    }
}

}  // namespace
}  // namespace heddle
