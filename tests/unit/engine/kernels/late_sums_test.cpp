// SPDX-License-Identifier: Apache-2.0
// Which gradients are added up after the backward pass, and that nobody misses them. On the CPU, where operators add them up.
#include "engine/kernels/late_sums.h"

#include "engine/device/torch_pch.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnDoubles;
using testing_support::relative;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kRows = 6, kParts = 3, kColumns = 8;

/// x + b, whose backward function leaves the sums for b to an open LateSums.
class Added : public torch::autograd::Function<Added> {
public:
    static at::Tensor forward(AutogradContext* /*context*/, const at::Tensor& x_NC, const at::Tensor& b_C) {
        return x_NC + b_C;
    }
    static variable_list backward(AutogradContext* /*context*/, const variable_list& gradients) {
        const at::Tensor parts_KC = gradients[0].reshape({kParts, -1, kColumns}).sum(1);
        return {gradients[0], areSummedLater({{parts_KC, {{1, kColumns}}}}) ? at::Tensor() : parts_KC.sum(0)};
    }
};

at::Tensor drawnFloats(const std::string& name, const std::vector<std::int64_t>& sizes) {
    return drawnDoubles(5, name, sizes).to(at::kFloat);
}

class LateSumsTest : public testing::Test {
protected:
    const at::Tensor x_ = drawnFloats("x", {kRows, kColumns}), dy_ = drawnFloats("dy", {kRows, kColumns}), sum_ = dy_.sum(0),
                     b_ = drawnFloats("b", {kColumns}).set_requires_grad(true);
    at::Tensor added() const { return Added::apply(x_, b_); }
};

TEST_F(LateSumsTest, WithoutAScopeGradientsAreMadeAtOnce) {
    added().backward(dy_);
    EXPECT_LT(relative(b_.grad(), sum_), 1e-6);
}

TEST_F(LateSumsTest, FinishSetsTheGradient) {
    LateSums late;
    added().backward(dy_);
    EXPECT_FALSE(b_.grad().defined());
    late.finish();
    EXPECT_LT(relative(b_.grad(), sum_), 1e-6);
    late.finish();
    EXPECT_LT(relative(b_.grad(), sum_), 1e-6) << "nothing is added twice";
}

TEST_F(LateSumsTest, EveryUseOfASharedParameterCounts) {
    LateSums late;
    (Added::apply(Added::apply(x_, b_), b_) + x_ * b_).backward(dy_);
    late.finish();
    EXPECT_LT(relative(b_.grad(), sum_ * 2 + (dy_ * x_).sum(0)), 1e-6);
}

TEST_F(LateSumsTest, SeveralBackwardPassesAddUp) {
    for (const bool finishesOften : {false, true}) {
        b_.mutable_grad().reset();
        LateSums late;
        for (int pass = 0; pass < 3; ++pass) {
            added().backward(dy_);
            if (finishesOften) late.finish();
        }
        late.finish();
        EXPECT_LT(relative(b_.grad(), sum_ * 3), 1e-6);
    }
}

TEST_F(LateSumsTest, AHookSeesTheGradient) {
    LateSums late;
    b_.register_hook([](const at::Tensor& gradient) { return gradient * 2; });
    added().backward(dy_);
    EXPECT_LT(relative(b_.grad(), sum_ * 2), 1e-6);
    late.finish();
    EXPECT_LT(relative(b_.grad(), sum_ * 2), 1e-6);
}

TEST_F(LateSumsTest, WhatIsNoParameterGetsItsGradientAtOnce) {
    LateSums late;
    Added::apply(x_, b_ * 2).backward(dy_);
    EXPECT_LT(relative(b_.grad(), sum_ * 2), 1e-6);
    const at::Tensor doubles = b_.detach().to(at::kDouble).requires_grad_();
    Added::apply(x_, doubles).backward(dy_.to(at::kDouble));
    EXPECT_TRUE(doubles.grad().defined());
}

TEST_F(LateSumsTest, GradientsThatAreAskedForAreReturned) {
    LateSums late;
    const variable_list made = torch::autograd::grad({added()}, {b_}, {dy_});
    EXPECT_LT(relative(made[0], sum_), 1e-6);
    late.finish();
    EXPECT_FALSE(b_.grad().defined());
}

TEST_F(LateSumsTest, AFixedParameterGetsNone) {
    LateSums late;
    const at::Tensor x = x_.detach().requires_grad_(), fixed = b_.detach();
    Added::apply(x, fixed).backward(dy_);
    late.finish();
    EXPECT_TRUE(at::equal(x.grad(), dy_));
    EXPECT_FALSE(fixed.grad().defined());
}

TEST_F(LateSumsTest, WhatAFailedPassLeftIsDropped) {
    {
        const LateSums late;
        added().backward(dy_);
    }
    EXPECT_FALSE(b_.grad().defined());
    LateSums late;
    late.finish();
    EXPECT_FALSE(b_.grad().defined());
}

}  // namespace
}  // namespace heddle
