// SPDX-License-Identifier: Apache-2.0
// The score gate's CPU kernel against its definition in float64.
#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/score_kernels.h"
#include "tests/unit/engine/thread_counts.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace heddle {
namespace {

using cuda::GateActivation;

at::Tensor opened(GateActivation activation, const at::Tensor& x) {
    if (activation == GateActivation::Sigmoid) return at::sigmoid(x);
    if (activation == GateActivation::Relu) return at::relu(x);
    return activation == GateActivation::Hardtanh ? at::hardtanh(x) : at::tanh(x);
}

struct Case {
    GateActivation activation;
    std::int64_t keys;
    std::vector<std::int64_t> bias;  ///< empty: none
    bool headsFirst;                 ///< whether x lies as [H,B,Q,K]
};

class GatedScoresTest : public testing::TestWithParam<Case> {};

TEST_P(GatedScoresTest, EqualTheDefinitionInFloat64) {
    const Case& c = GetParam();
    at::manual_seed(5);
    const at::Tensor p = at::randn({2, 3, 5, c.keys}).requires_grad_(), dy = at::randn({2, 3, 5, c.keys});
    const at::Tensor drawn =
        c.headsFirst ? at::randn({3, 2, 5, c.keys}).transpose(0, 1) : at::randn({2, 3, 5, c.keys});  // both sides of ±1
    const at::Tensor x = drawn.mul(1.5).requires_grad_();
    const at::Tensor bias = c.bias.empty() ? at::Tensor() : at::randn(c.bias).requires_grad_();
    const auto y = gatedScores(p, x, bias, c.activation);
    ASSERT_TRUE(y);
    y->backward(dy);

    const auto exact = [](const at::Tensor& of) { return of.detach().to(at::kDouble).requires_grad_(); };
    const at::Tensor p_64 = exact(p), x_64 = exact(x), bias_64 = bias.defined() ? exact(bias) : bias;
    const at::Tensor expected = p_64 * opened(c.activation, bias.defined() ? x_64 + bias_64 : x_64);
    expected.backward(dy.to(at::kDouble));
    const auto near = [](const at::Tensor& a, const at::Tensor& b) { return at::allclose(a.to(at::kDouble), b, 1e-5, 1e-6); };
    EXPECT_TRUE(near(*y, expected));
    EXPECT_TRUE(near(p.grad(), p_64.grad()));
    EXPECT_TRUE(near(x.grad(), x_64.grad()));
    EXPECT_TRUE(!bias.defined() || near(bias.grad(), bias_64.grad()));
}

INSTANTIATE_TEST_SUITE_P(
    Gates, GatedScoresTest,
    testing::Values(Case{GateActivation::Tanh, 64, {3, 1, 64}, true}, Case{GateActivation::Tanh, 7, {3, 5, 7}, false},
                    Case{GateActivation::Tanh, 33, {3, 1, 1}, true}, Case{GateActivation::Sigmoid, 17, {1, 1, 17}, true},
                    Case{GateActivation::Relu, 16, {}, false}, Case{GateActivation::Hardtanh, 1, {3, 1, 1}, true},
                    Case{GateActivation::Hardtanh, 48, {3, 1, 48}, false}));

TEST(GatedScores, OpenAsFarAsTheHyperbolicTangent) {
    const at::Tensor x = at::cat({at::linspace(-100, 100, 4001), at::linspace(-1, 1, 2001), at::tensor({1e-20F, -0.0F, 5e4F})})
                             .view({1, 1, 1, -1});
    const auto y = gatedScores(at::ones_like(x), x, {}, GateActivation::Tanh);
    ASSERT_TRUE(y);
    const at::Tensor exact = at::tanh(x.to(at::kDouble));
    EXPECT_LE(((y->to(at::kDouble) - exact).abs() / exact.abs().clamp_min(1e-30)).max().item<double>(), 4e-7);
}

TEST(GatedScores, SayWhereAScoreIsNoNumber) {
    const at::Tensor x = at::full({1, 1, 1, 20}, std::numeric_limits<float>::quiet_NaN());
    for (const auto activation :
         {GateActivation::Tanh, GateActivation::Sigmoid, GateActivation::Relu, GateActivation::Hardtanh})
        EXPECT_TRUE(gatedScores(at::ones_like(x), x, {}, activation)->isnan().all().item<bool>());
}

TEST(GatedScores, DoNotDependOnTheNumberOfThreads) {
    at::manual_seed(5);
    const at::Tensor p = at::randn({4, 4, 64, 64}), x = at::randn({4, 4, 64, 64}), dy = at::randn({4, 4, 64, 64});
    testing_support::expectTheSameByAnyThreads([&] {
        const at::Tensor ofScores = p.clone().requires_grad_(), mixed = x.clone().requires_grad_();
        const auto y = gatedScores(ofScores, mixed, {}, GateActivation::Tanh);
        y->backward(dy);
        return std::vector<at::Tensor>{y->detach(), ofScores.grad(), mixed.grad()};
    });
}

TEST(GatedScores, LeaveOtherTypesToTheReadablePath) {
    const at::Tensor p = at::zeros({2, 3, 4, 4});
    EXPECT_TRUE(gatedScores(p, p, {}, GateActivation::Tanh));
    EXPECT_FALSE(gatedScores(p.to(at::kDouble), p.to(at::kDouble), {}, GateActivation::Tanh));
    EXPECT_FALSE(gatedScores(p.transpose(2, 3), p, {}, GateActivation::Tanh));
    EXPECT_FALSE(gatedScores(p, p.transpose(2, 3), {}, GateActivation::Tanh));
}

}  // namespace
}  // namespace heddle
