// SPDX-License-Identifier: Apache-2.0
// Attention by one kernel on a CUDA device beside its definition in float64 on the CPU. Runs with HEDDLE_WITH=cuda-attention.
#include "engine/device/cuda_module.h"
#include "engine/kernels/cuda_kernels.h"
#include "tests/unit/engine/kernels/attention_case.h"

namespace heddle {
namespace {

using namespace testing_support;

/// The tensor on the device with its strides, collecting a gradient; undefined stays undefined.
at::Tensor attentionLeaf(const at::Tensor& x) {
    if (!x.defined()) return x;
    at::Tensor on = at::empty_strided(x.sizes(), x.strides(), x.options().device(at::kCUDA));
    on.copy_(x);
    return on.set_requires_grad(true);
}

void attendsAsOnTheCpu(const AttentionCase& in) {
    SCOPED_TRACE(testing::Message() << in.queries << " queries, " << in.keys << " keys, width " << in.width);
    const bool isSum = in.next == CarriedTerm::Next::Sum;
    const AttentionOperands of = drawnOperands(in, isSum ? at::kFloat : at::kBFloat16);
    const at::Tensor q = attentionLeaf(of.q), k = attentionLeaf(of.k), v = attentionLeaf(of.v), p = attentionLeaf(of.carried),
                     weight = attentionLeaf(of.weight), bias = attentionLeaf(of.bias),
                     hidden = of.hidden.defined() ? of.hidden.to(at::kCUDA) : of.hidden;
    ShortAttention attention{q, k, v, in.scale, hidden, of.key, in.p};
    attention.carried = {p, in.atHidden, weight, bias, in.activation, in.divisor, in.next};
    ASSERT_TRUE(takesShortAttention(attention));
    const ShortAttentionResult made = shortAttention(attention);
    ((made.mixed_BHQE * of.dout.to(at::kCUDA)).sum() + (made.next_BHQK * of.dnext.to(at::kCUDA)).sum()).backward();
    const auto gradientOf = [](const at::Tensor& x) { return x.defined() ? x.grad().cpu() : x; };
    expectDefinition(in, of,
                     {made.mixed_BHQE.detach().cpu(),
                      made.next_BHQK.detach().cpu(),
                      {gradientOf(q), gradientOf(k), gradientOf(v), gradientOf(p), gradientOf(weight), gradientOf(bias)}});
}

TEST(CudaKernelsOfAttention, AreThoseOfTheCpu) {
    if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
    if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    if (!isUsed(OwnKernel::CudaAttention)) GTEST_SKIP() << "HEDDLE_WITH does not name cuda-attention";
    using Case = AttentionCase;
    for (const auto& [queries, keys, width] :
         {std::tuple(5, 5, 8), std::tuple(17, 37, 24), std::tuple(64, 64, 32), std::tuple(64, 64, 64), std::tuple(80, 80, 64)})
        for (const auto mask : {Case::Mask::None, Case::Mask::Both})
            for (const auto next : {CarriedTerm::Next::Own, CarriedTerm::Next::Sum}) {
                Case in;
                in.batch = 70, in.heads = 8;  // several sentences for a block
                in.queries = queries, in.keys = keys, in.width = width, in.mask = mask, in.next = next;
                attendsAsOnTheCpu(in);
                in.adds = true, in.divisor = 2;
                attendsAsOnTheCpu(in);
                in.p = 0.4, in.divisor = 1, in.gate = Case::Gate::OfHeads, in.bias = Case::Bias::OfKeys, in.atHidden = 0;
                attendsAsOnTheCpu(in);
                in.p = 0, in.gate = Case::Gate::Shared, in.bias = Case::Bias::Scalar;
                in.activation = cuda::GateActivation::Sigmoid;
                attendsAsOnTheCpu(in);
            }
    Case largest;
    largest.queries = largest.keys = 128, largest.width = 64, largest.p = 0.4;
    attendsAsOnTheCpu(largest);
}

}  // namespace
}  // namespace heddle
