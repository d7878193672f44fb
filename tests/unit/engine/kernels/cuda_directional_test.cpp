// SPDX-License-Identifier: Apache-2.0
// Attention with directional values on a CUDA device beside its definition in float64 on the CPU.
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/directional_attention.h"
#include "engine/kernels/joint_parts.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::leaf;
using testing_support::relative;

struct DirectionalCase {
    std::int64_t positions, width, lastLeft, firstRight;
    at::ScalarType type;
    bool isJoint, hides;  ///< values and queries are parts of one product; the last key of each row is hidden
};

void attendsAsOnTheCpu(const DirectionalCase& in) {
    const std::int64_t batch = 3;
    const at::Tensor joint = drawnDoubles(3, "joint", {batch, in.positions, 3 * in.width}).to(in.type),
                     key = drawnDoubles(3, "key", {batch, in.positions, in.width}).to(in.type),
                     dy = drawnDoubles(3, "dy", {batch, in.positions, in.width}).to(in.type);
    at::Tensor hidden;
    if (in.hides) {
        hidden = at::zeros({batch, 1, 1, in.positions}, at::kBool);
        hidden.select(-1, in.positions - 1).fill_(true);
    }
    const double scale = 0.5;
    const at::Tensor jointOn = joint.to(at::kCUDA).set_requires_grad(true), keyOn = key.to(at::kCUDA).set_requires_grad(true);
    const std::vector<std::int64_t> widths(3, in.width);
    std::vector<at::Tensor> parts = jointParts(jointOn * 1, widths);
    if (!in.isJoint)
        for (at::Tensor& part : parts) part = part.contiguous();
    const at::Tensor hiddenOn = in.hides ? hidden.to(at::kCUDA) : hidden;
    const at::Tensor y =
        directionalAttention({parts[2], keyOn, parts[0], parts[1], hiddenOn, scale, in.lastLeft, in.firstRight});
    y.backward(dy.to(at::kCUDA));

    const at::Tensor joint64 = leaf(joint), key64 = leaf(key);
    const std::vector<at::Tensor> parts64 = joint64.split_with_sizes(widths, -1);
    at::Tensor logits = at::matmul(parts64[2], key64.transpose(1, 2)) * scale;
    if (in.hides) logits = logits.masked_fill(hidden.squeeze(1), -1e30);
    const at::Tensor weights = at::softmax(logits, -1);
    const at::Tensor expected =
        at::matmul(weights.tril(in.lastLeft), parts64[0]) + at::matmul(weights.triu(in.firstRight), parts64[1]);
    expected.backward(dy.to(at::kDouble));
    const double tolerance = in.type == at::kFloat ? 1e-3 : 3e-2;  // products of float32 may round operands (TF32)
    EXPECT_LT(relative(y.cpu(), expected), tolerance);
    EXPECT_LT(relative(jointOn.grad().cpu(), joint64.grad()), tolerance);
    EXPECT_LT(relative(keyOn.grad().cpu(), key64.grad()), tolerance);
}

TEST(CudaKernelsOfDirectionalValues, AreThoseOfTheCpu) {
    if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
    if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
        for (const std::int64_t positions : {1, 7, 64, 301})
            for (const auto& [lastLeft, firstRight] : {std::pair(-1, 0), std::pair(0, 1), std::pair(0, 0)})
                for (const bool isJoint : {false, true})
                    for (const bool hides : {false, true}) {
                        if (hides && positions == 1) continue;
                        SCOPED_TRACE(testing::Message() << positions << " positions, up to " << lastLeft
                                                        << (isJoint ? ", joint" : "") << (hides ? ", hidden" : ""));
                        attendsAsOnTheCpu({positions, 32, lastLeft, firstRight, type, isJoint, hides});
                    }
}

}  // namespace
}  // namespace heddle
