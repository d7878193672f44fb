// SPDX-License-Identifier: Apache-2.0
// The bodies of the CUDA kernels of attention scores, run on the host (see cuda_twin_test.cpp). B 2, H 3.
#include "engine/kernels/cuda/score_bodies.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using cuda::BFloat16;
using namespace testing_support;

constexpr int kScoreQuads = 12;
constexpr double kHidden = -1e30;

std::int64_t rowsOf(const at::Tensor& x) { return x.numel() / x.size(3); }

cuda::HiddenKeys hiddenKeys(const at::Tensor& mask, at::IntArrayRef sizes) {
    if (!mask.defined()) return {};
    const at::Tensor spread = mask.expand(sizes);
    return {spread.const_data_ptr<bool>(), {spread.stride(0), spread.stride(1), spread.stride(2), spread.stride(3)}};
}

struct WeightsCase {
    std::int64_t keys;
    bool adds;
    at::Tensor hidden;  ///< broadcasts to [B,H,Q,K]
    int lanes;
};
template <class Raw, class Sum>
void weighsLikeItsDefinition(const WeightsCase& in) {
    const std::vector<std::int64_t> sizes{2, 3, 3, in.keys};
    const at::Tensor raw = drawn("raw", sizes, kTypeOf<Raw>), added = drawn("added", sizes, kTypeOf<Sum>);
    const at::Tensor dweights = drawn("dweights", sizes, kTypeOf<Raw>), ddropped = drawn("ddropped", sizes, kTypeOf<Raw>),
                     dcarried = drawn("dcarried", sizes, kTypeOf<Sum>);
    const at::Tensor carried = at::empty_like(added), weights = at::empty_like(raw), dropped = at::empty_like(raw),
                     draw = at::empty_like(raw), dadded = at::empty_like(added);
    const RandomKey key = randomKey(5, "attention", 3, 1);
    const cuda::HiddenKeys hidden = hiddenKeys(in.hidden, sizes);
    const cuda::Drop drop = cudaDropOf(key, 0.4);
    runRows(
        cuda::ScoreWeightsPass<Raw, Sum, kScoreQuads>{{scoreShapeOf(raw), raw.data_ptr(), in.adds ? added.data_ptr() : nullptr,
                                                       carried.data_ptr(), weights.data_ptr(), dropped.data_ptr(),
                                                       kElementOf<Raw>, kElementOf<Sum>, hidden, 3, kHidden, drop}},
        rowsOf(raw), in.lanes);
    runRows(
        cuda::ScoreWeightsBackwardPass<Raw, Sum, kScoreQuads>{
            {scoreShapeOf(raw), weights.data_ptr(), dweights.data_ptr(), ddropped.data_ptr(), dcarried.data_ptr(),
             draw.data_ptr(), dadded.data_ptr(), kElementOf<Raw>, kElementOf<Sum>, hidden, 3, drop}},
        rowsOf(raw), in.lanes);

    const at::Tensor raw64 = leaf(raw), added64 = leaf(added), sum = in.adds ? raw64 + added64 : raw64 * 1;
    const at::Tensor logits = in.hidden.defined() ? (sum / 3).masked_fill(in.hidden, kHidden) : sum / 3;
    const at::Tensor expected = at::softmax(logits, -1), mask = dropoutMask(key, 0.4, sizes, at::kDouble);
    ((expected * dweights).sum() + (expected * mask * ddropped).sum() + (sum * dcarried).sum()).backward();
    EXPECT_LT(relative(carried, sum), kToleranceOf<Sum>);
    EXPECT_LT(relative(weights, expected), kToleranceOf<Raw>);
    EXPECT_LT(relative(dropped, expected * mask), kToleranceOf<Raw>);
    EXPECT_TRUE(at::equal(dropped.ne(0), weights.ne(0).logical_and(mask.ne(0)))) << "another element was dropped";
    EXPECT_LT(relative(draw, raw64.grad()), kToleranceOf<Raw>);
    // The backward pass reads weights that were rounded to Raw.
    if (in.adds) {
        EXPECT_LT(relative(dadded, added64.grad()), std::max(kToleranceOf<Raw>, kToleranceOf<Sum>));
    }
}

TEST(CudaTwinScores, WeightsAreTheSoftmaxOfWhatIsCarried) {
    for (const std::int64_t keys : {1, 5, 8, 33}) {
        at::Tensor ofKeys = at::zeros({2, 1, 1, keys}, at::kBool),
                   ofQueries = at::ones({3, keys}, at::kBool).triu(1).view({1, 1, 3, keys});
        ofKeys[1].slice(2, keys - 1).fill_(true);  // K = 1: a row that sees nothing
        for (const at::Tensor& hidden : {at::Tensor(), ofKeys, ofQueries, ofKeys.logical_or(ofQueries)})
            for (const bool adds : {false, true})
                for (const int lanes : {1, 3, 4}) {
                    SCOPED_TRACE(testing::Message() << keys << " keys, " << lanes << " lanes" << (adds ? ", added" : ""));
                    const WeightsCase in{keys, adds, hidden, lanes};
                    weighsLikeItsDefinition<float, float>(in);
                    weighsLikeItsDefinition<BFloat16, BFloat16>(in);
                    weighsLikeItsDefinition<BFloat16, float>(in);
                }
    }
}

TEST(CudaTwinScores, WeightsAloneNeedNothingElse) {
    const at::Tensor raw = drawn("raw", {2, 3, 5, 7}, at::kFloat), added = drawn("added", {2, 3, 5, 7}, at::kFloat);
    const at::Tensor weights = at::empty_like(raw), dweights = drawn("dweights", {2, 3, 5, 7}, at::kFloat),
                     draw = at::empty_like(raw);
    const auto type = cuda::ElementType::Float32;
    runRows(cuda::ScoreWeightsPass<float, float, kScoreQuads>{{scoreShapeOf(raw),
                                                               raw.data_ptr(),
                                                               added.data_ptr(),
                                                               nullptr,
                                                               weights.data_ptr(),
                                                               nullptr,
                                                               type,
                                                               type,
                                                               {},
                                                               1,
                                                               kHidden,
                                                               {}}},
            rowsOf(raw), 3);
    runRows(cuda::ScoreWeightsBackwardPass<float, float, kScoreQuads>{{scoreShapeOf(raw),
                                                                       weights.data_ptr(),
                                                                       dweights.data_ptr(),
                                                                       nullptr,
                                                                       nullptr,
                                                                       draw.data_ptr(),
                                                                       nullptr,
                                                                       type,
                                                                       type,
                                                                       {},
                                                                       1,
                                                                       {}}},
            rowsOf(raw), 3);
    const at::Tensor raw64 = leaf(raw), expected = at::softmax(raw64 + added.to(at::kDouble), -1);
    expected.backward(dweights.to(at::kDouble));
    EXPECT_LT(relative(weights, expected), 1e-5);
    EXPECT_LT(relative(draw, raw64.grad()), 1e-5);
}

at::Tensor activated(cuda::GateActivation activation, const at::Tensor& x) {
    switch (activation) {
    case cuda::GateActivation::Tanh: return at::tanh(x);
    case cuda::GateActivation::Sigmoid: return at::sigmoid(x);
    case cuda::GateActivation::Relu: return at::relu(x);
    case cuda::GateActivation::Hardtanh: return at::hardtanh(x);
    }
    return x;
}

struct GateCase {
    at::Tensor x_BHQK, bias;  ///< x of any strides whose last is 1
    cuda::GateActivation activation;
    int lanes;
};
template <class Score, class Mixed>
void gatesLikeItsDefinition(const GateCase& in) {
    const at::Tensor p = drawn("p", in.x_BHQK.sizes(), kTypeOf<Score>), dy = drawn("dy", p.sizes(), kTypeOf<Score>);
    const at::Tensor y = at::empty_like(p), dp = at::empty_like(p), dx = at::empty_like(in.x_BHQK);
    ASSERT_EQ(dx.strides(), in.x_BHQK.strides());
    cuda::ScoreGateArguments of{scoreShapeOf(p), p.data_ptr(),      in.x_BHQK.data_ptr(), {},          nullptr, {},
                                in.activation,   kElementOf<Score>, kElementOf<Mixed>,    y.data_ptr()};
    for (int axis = 0; axis < 3; ++axis) of.xStrides[axis] = dx.stride(axis);
    const at::Tensor bias = in.bias.defined() ? in.bias.expand({3, p.size(2), p.size(3)}) : in.bias;
    if (bias.defined()) {
        of.bias = bias.const_data_ptr<float>();
        for (int axis = 0; axis < 3; ++axis) of.biasStrides[axis] = bias.stride(axis);
    }
    runRows(cuda::ScoreGatePass<Score, Mixed>{of}, rowsOf(p), in.lanes);
    runRows(cuda::ScoreGateBackwardPass<Score, Mixed>{{of, dy.data_ptr(), dp.data_ptr(), dx.data_ptr()}}, rowsOf(p), in.lanes);

    const at::Tensor p64 = leaf(p), x64 = leaf(in.x_BHQK);
    const at::Tensor expected = p64 * activated(in.activation, bias.defined() ? x64 + bias : x64);
    expected.backward(dy.to(at::kDouble));
    EXPECT_LT(relative(y, expected), kToleranceOf<Score>);
    EXPECT_LT(relative(dp, p64.grad()), kToleranceOf<Score>);
    EXPECT_LT(relative(dx, x64.grad()), kToleranceOf<Mixed>);
}

TEST(CudaTwinScores, GateIsItsDefinition) {
    using Activation = cuda::GateActivation;
    for (const std::int64_t keys : {1, 6, 8, 13})
        for (const auto activation : {Activation::Tanh, Activation::Sigmoid, Activation::Relu, Activation::Hardtanh})
            for (const at::Tensor& bias :
                 {at::Tensor(), drawn("bias", {3, 1, keys}, at::kFloat), drawn("bias", {3, 5, keys}, at::kFloat),
                  drawn("bias", {3, 1, 1}, at::kFloat), drawn("bias", {1, 1, keys}, at::kFloat)})
                for (const int lanes : {1, 3}) {
                    SCOPED_TRACE(testing::Message()
                                 << keys << " keys, ψ " << static_cast<int>(activation) << ", " << lanes << " lanes");
                    const at::Tensor x_BHQK = drawn("x", {2, 3, 5, keys}, at::kFloat);
                    // The layout of a product per head: the heads are the outermost axis.
                    const at::Tensor byHead_BHQK = drawn("x", {3, 2, 5, keys}, at::kFloat).transpose(0, 1);
                    gatesLikeItsDefinition<float, float>({x_BHQK, bias, activation, lanes});
                    gatesLikeItsDefinition<float, float>({byHead_BHQK, bias, activation, lanes});
                    gatesLikeItsDefinition<BFloat16, BFloat16>({byHead_BHQK.to(at::kBFloat16), bias, activation, lanes});
                    gatesLikeItsDefinition<float, BFloat16>({x_BHQK.to(at::kBFloat16), bias, activation, lanes});
                }
}

}  // namespace
}  // namespace heddle
