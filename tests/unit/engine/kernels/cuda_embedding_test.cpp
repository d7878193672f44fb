// SPDX-License-Identifier: Apache-2.0
// Look-ups and their gradients on a CUDA device beside their definition in float64 on the CPU, and a stack's input beside the
// operators that it replaces; skipped where there is no device.
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/embedding.h"
#include "engine/kernels/reduced.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::leaf;
using testing_support::relative;

class CudaEmbeddings : public testing::TestWithParam<at::ScalarType> {
protected:
    void SetUp() override {
        if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
        if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    }
    static double tolerance() { return GetParam() == at::kFloat ? 1e-5 : 1e-2; }
};
INSTANTIATE_TEST_SUITE_P(Types, CudaEmbeddings, testing::Values(at::kFloat, at::kBFloat16));

TEST_P(CudaEmbeddings, HaveTheGradientsOfTheCpuAndAlwaysTheSame) {
    for (const std::int64_t width : {7, 64, 1040})
        for (const std::int64_t words : {2, 8000}) {
            SCOPED_TRACE(testing::Message() << words << " words of " << width);
            const at::Tensor ids = at::arange(4096).pow(2).remainder(words).view({64, 64}), there = ids.to(at::kCUDA);
            const at::Tensor order = ids.flatten().argsort(/*stable=*/true).to(at::kCUDA);
            const at::Tensor table = drawnDoubles(3, "table", {words, width}).to(GetParam());
            const at::Tensor dy = drawnDoubles(3, "dy", {64, 64, width}).to(GetParam()), host = leaf(table);
            at::embedding(host, ids).backward(dy.to(at::kDouble));
            for (const at::Tensor& given : {at::Tensor(), order}) {
                const auto lookUp = [&](const at::Tensor& in) {
                    const at::Tensor y = embeddedRows(in, there, given);
                    EXPECT_TRUE(at::equal(y.detach().cpu(), at::embedding(table, ids)));
                    y.backward(dy.to(at::kCUDA));
                };
                const at::Tensor once = table.to(at::kCUDA).set_requires_grad(true), again = once.detach().clone();
                lookUp(once), lookUp(again.set_requires_grad(true));
                EXPECT_LT(relative(once.grad().cpu(), host.grad()), tolerance()) << given.defined();
                EXPECT_TRUE(at::equal(once.grad(), again.grad())) << given.defined();
                lookUp(again);
                EXPECT_LT(relative(again.grad(), 2 * once.grad()), tolerance()) << "added to the gradient that is there";
            }
        }
}

TEST(CudaStackInputs, AreTheOperatorsOneAfterTheOther) {
    if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
    if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    const RandomKey key = randomKey(1, "embed", 17);
    const auto onDevice = [](const char* name, at::IntArrayRef sizes) {
        return drawnDoubles(3, name, sizes).to(at::kFloat).to(at::kCUDA);
    };
    for (const std::int64_t width : {16, 512, 1040})
        for (const bool reduces : {false, true})
            for (const bool isTrained : {false, true}) {
                SCOPED_TRACE(testing::Message() << width << (reduces ? ", reduced" : "") << (isTrained ? ", trained" : ""));
                const at::Tensor ids = at::arange(4096).pow(2).remainder(1000).view({64, 64}), there = ids.to(at::kCUDA);
                const at::Tensor order = ids.flatten().argsort(/*stable=*/true).to(at::kCUDA),
                                 dy = onDevice("dy", {64, 64, width}),
                                 dy16 = onDevice("dy16", {64, 64, width}).to(at::kBFloat16);
                const ReducedParameters noParameters({});
                std::vector<at::Tensor> values, gradients, ofPositions;
                for (const bool isOne : {false, true}) {
                    const ReducedScope scope(reduces ? &noParameters : nullptr);
                    const at::Tensor table = onDevice("table", {1000, width}).set_requires_grad(true),
                                     positions = onDevice("positions", {64, width}).set_requires_grad(isTrained);
                    const at::Tensor x = isOne ? embeddedInput({table, there, order, positions, 2.5, key, 0.3})
                                               : dropoutWithCopy(key, 0.3, embeddedRows(table, there, order) * 2.5 + positions);
                    at::Tensor objective = (x * dy).sum();
                    if (reduces) objective = objective + (reduced(x) * dy16).sum(at::kFloat);
                    objective.backward();
                    values.push_back(x.detach()), gradients.push_back(table.grad()), ofPositions.push_back(positions.grad());
                }
                EXPECT_TRUE(at::equal(values[0], values[1]));
                EXPECT_LT(relative(gradients[0].cpu(), gradients[1].cpu()), 1e-6);
                if (isTrained) {
                    EXPECT_LT(relative(ofPositions[0].cpu(), ofPositions[1].cpu()), 1e-6);
                }
            }
}

}  // namespace
}  // namespace heddle
