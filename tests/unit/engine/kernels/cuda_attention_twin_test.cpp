// SPDX-License-Identifier: Apache-2.0
// The bodies of the CUDA kernels of attention, run on the host (see cuda_twin_test.cpp), beside their definition in float64.
#include "engine/kernels/cuda/attention_bodies.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/attention_case.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

constexpr int kAttentionQuads = 36;  ///< of a row of 128 scores, by one thread

/// One of the threads that stand in for a block.
class HostBlock {
public:
    HostBlock(TeamBarrier& barrier, int thread) : barrier_(barrier), thread_(thread) {}
    int thread() const { return thread_; }
    int threads() const { return static_cast<int>(barrier_.values.size()); }
    void sync() { barrier_.wait(); }
    template <class Use>
    void rows(int n, const Use& use) {
        LoneTeam team;
        for (int row = thread_; row < n; row += threads()) use(row, team);
    }
    template <bool kTransposesA, bool kTransposesB>
    void product(const cuda::Tile<float>& c, const cuda::TileFactor<kTransposesA>& a, const cuda::TileFactor<kTransposesB>& b,
                 cuda::IntoTile into) {
        cuda::multiplyPlainly(thread_, threads(), c, a, b, into);
    }

private:
    TeamBarrier& barrier_;
    int thread_;
};

/// Runs the pass on every block, whose memory holds NaN at first.
template <class Pass>
void runBlocks(const Pass& pass, std::int64_t blocks, int threads) {
    struct alignas(128) Line {
        unsigned char bytes[128];
    };
    std::vector<Line> memory(static_cast<std::size_t>(pass.layout.bytes) / sizeof(Line) + 1);
    for (std::int64_t number = 0; number < blocks; ++number) {
        std::memset(memory.data(), 0xFF, memory.size() * sizeof(Line));
        TeamBarrier barrier(threads);
        std::vector<std::jthread> all;
        for (int thread = 0; thread < threads; ++thread)
            all.emplace_back([&, thread] {
                HostBlock block(barrier, thread);
                pass(number, block, memory.front().bytes);
            });
    }
}

cuda::HeadRows<const void*> attentionHeads(const at::Tensor& x_BHSE) {
    return {x_BHSE.const_data_ptr(), {x_BHSE.stride(0), x_BHSE.stride(2), x_BHSE.stride(1)}};
}
cuda::HeadRows<void*> attentionPlaces(const at::Tensor& x_BHSE) {
    return {x_BHSE.data_ptr(), {x_BHSE.stride(0), x_BHSE.stride(2), x_BHSE.stride(1)}};
}

template <class Carried>
cuda::AttentionArguments attentionArguments(const AttentionCase& in, const AttentionOperands& of) {
    cuda::AttentionArguments a{};
    a.shape = {in.batch, in.heads, in.queries, in.keys};
    a.width = in.width;
    a.q = attentionHeads(of.q), a.k = attentionHeads(of.k), a.v = attentionHeads(of.v);
    a.scale = static_cast<float>(in.scale), a.divisor = static_cast<float>(in.divisor), a.hiddenScore = -1e30F;
    if (of.hidden.defined()) {
        a.hidden.at = of.hidden.const_data_ptr<bool>();
        for (int axis = 0; axis < 4; ++axis) a.hidden.strides[axis] = of.hidden.size(axis) == 1 ? 0 : of.hidden.stride(axis);
    }
    if (in.p > 0) a.drop = cudaDropOf(of.key, in.p);
    a.carriedType = kElementOf<Carried>, a.nextIsSum = in.next == CarriedTerm::Next::Sum;
    if (!of.carried.defined()) return a;
    a.carried = of.carried.const_data_ptr();
    a.fillsCarried = in.atHidden.has_value() && of.hidden.defined(),
    a.carriedFill = static_cast<float>(in.atHidden.value_or(0));
    if (!of.weight.defined()) return a;
    a.gate.weight = of.weight.const_data_ptr<float>();
    a.gate.headStride = of.weight.size(0) == 1 ? 0 : of.weight.stride(0), a.gate.rowStride = of.weight.stride(1);
    a.gate.activation = in.activation;
    if (!of.bias.defined()) return a;
    a.gate.bias = of.bias.const_data_ptr<float>();
    a.gate.biasStrides[0] = of.bias.size(0) == 1 ? 0 : of.bias.stride(0);
    a.gate.biasStrides[1] = of.bias.size(1) == 1 ? 0 : of.bias.stride(1);
    return a;
}

template <class Carried>
void attendsLikeItsDefinition(const AttentionCase& in, int threads, std::int64_t sentencesOfPart = 2) {
    SCOPED_TRACE(testing::Message() << in.queries << " queries, " << in.keys << " keys, width " << in.width << ", " << threads
                                    << " threads, ψ " << static_cast<int>(in.activation));
    const AttentionOperands of = drawnOperands(in, kTypeOf<Carried>);
    const at::Tensor out = at::empty_like(of.dout), next = at::empty_like(of.dnext);
    cuda::AttentionArguments a = attentionArguments<Carried>(in, of);
    a.out = attentionPlaces(out), a.next = next.data_ptr();
    runBlocks(cuda::AttentionPass<Carried, kAttentionQuads>{a}, in.batch * in.heads, threads);

    AttentionOperands made = of;  // the gradients
    for (at::Tensor* const x : {&made.q, &made.k, &made.v, &made.carried})
        if (x->defined()) *x = at::empty_strided(x->sizes(), x->strides(), x->options());
    cuda::AttentionBackwardArguments b{};
    b.forward = a, b.forward.next = nullptr;
    b.dout = attentionHeads(of.dout), b.dnext = of.dnext.const_data_ptr();
    b.dq = attentionPlaces(made.q), b.dk = attentionPlaces(made.k), b.dv = attentionPlaces(made.v);
    if (made.carried.defined()) b.dcarried = made.carried.data_ptr();
    b.sentencesOfPart = of.weight.defined() ? sentencesOfPart : 1;
    const std::int64_t parts = cuda::partsOfSentences(b);
    const at::Tensor dgate_PHKK = at::empty({parts, in.heads, in.keys, in.keys}),
                     dbias_PHK = at::empty({parts, in.heads, in.keys});
    b.dgate = dgate_PHKK.data_ptr<float>();
    if (of.bias.defined()) b.dbias = dbias_PHK.data_ptr<float>();
    runBlocks(cuda::AttentionBackwardPass<Carried, kAttentionQuads>{b}, parts * in.heads, threads);
    if (of.weight.defined()) made.weight = at::sum_to(dgate_PHKK.sum(0), of.weight.sizes());
    if (of.bias.defined()) made.bias = at::sum_to(dbias_PHK.sum(0), of.bias.sizes());
    expectDefinition(in, of, {out, next, made});
}

/// Plain attention, p added, p through a gate, and its forms.
std::vector<AttentionCase> attentionCases(std::int64_t queries, std::int64_t keys, std::int64_t width) {
    using Mask = AttentionCase::Mask;
    AttentionCase plain;
    plain.queries = queries, plain.keys = keys, plain.width = width;
    AttentionCase added = plain;
    added.adds = true, added.divisor = 2, added.mask = Mask::Causal, added.p = 0.4;
    AttentionCase gated = added;
    gated.divisor = 1, gated.gate = AttentionCase::Gate::OfHeads, gated.bias = AttentionCase::Bias::OfKeys, gated.atHidden = 0;
    AttentionCase shared = gated;
    shared.gate = AttentionCase::Gate::Shared, shared.bias = AttentionCase::Bias::Scalar, shared.mask = Mask::Padding;
    shared.p = 0, shared.atHidden = -0.5, shared.activation = cuda::GateActivation::Sigmoid;
    AttentionCase raw = shared;
    raw.bias = AttentionCase::Bias::None, raw.mask = Mask::Both, raw.atHidden = std::nullopt;
    AttentionCase padded = plain;
    padded.mask = Mask::Both, padded.p = 0.4;
    return {plain, padded, added, gated, shared, raw};
}

TEST(CudaTwinAttention, IsItsDefinition) {
    for (const auto& [queries, keys, width] :
         {std::tuple(5, 5, 8), std::tuple(6, 9, 16), std::tuple(17, 37, 24), std::tuple(16, 32, 32)})
        for (AttentionCase in : attentionCases(queries, keys, width)) {
            in.next = CarriedTerm::Next::Own;
            attendsLikeItsDefinition<BFloat16>(in, 1);
            in.next = CarriedTerm::Next::Sum;
            attendsLikeItsDefinition<float>(in, 1);
        }
}

/// Without sync() where it is needed they read what is not yet there.
TEST(CudaTwinAttention, ThreadsOfABlockWaitForOneAnother) {
    for (const AttentionCase& in : attentionCases(6, 9, 16)) {
        attendsLikeItsDefinition<BFloat16>(in, 3);
        attendsLikeItsDefinition<BFloat16>(in, 4, 3);
    }
}

TEST(CudaTwinAttention, GatesWithKinksAreTheirDefinition) {
    AttentionCase in = attentionCases(7, 7, 8)[3];
    for (const auto activation : {cuda::GateActivation::Relu, cuda::GateActivation::Hardtanh}) {
        in.activation = activation;
        attendsLikeItsDefinition<float>(in, 1);
    }
}

TEST(CudaTwinAttention, ABlockHoldsTheLargestHeadsOfALargeDevice) {
    cuda::AttentionArguments a{};
    a.shape = {1, 1, 128, 128};
    a.width = cuda::kMostHeadWidth;
    constexpr int kH100 = 227 << 10;
    EXPECT_LE(cuda::AttentionLayout(a, true).bytes, kH100);
    const float weight = 0;
    a.gate.weight = &weight;
    EXPECT_GT(cuda::AttentionLayout(a, true).bytes, kH100);
    a.shape.queries = a.shape.keys = 96;
    EXPECT_LE(cuda::AttentionLayout(a, true).bytes, kH100);
    a.shape.queries = a.shape.keys = 64;
    EXPECT_LE(2 * (cuda::AttentionLayout(a, true).bytes + 1024), kH100 + 1024) << "two blocks on a multiprocessor";
}

}  // namespace
}  // namespace heddle
