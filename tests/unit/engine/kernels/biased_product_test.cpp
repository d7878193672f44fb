// SPDX-License-Identifier: Apache-2.0
// That the gradient of a bias is complete, whoever reads the product. On the CPU, where no reader computes it in its own pass.
#include "engine/kernels/biased_product.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/fused.h"
#include "engine/kernels/reduced.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::relative;

class BiasedProducts : public testing::Test {
protected:
    const at::Tensor x_ = drawnFloats(7, "x", {2, 5, 6}), dy_ = drawnFloats(7, "dy", {2, 5, 8}),
                     weight_ = drawnFloats(7, "weight", {8, 6}).set_requires_grad(true),
                     bias_ = drawnFloats(7, "bias", {8}).set_requires_grad(true), sum_ = dy_.sum(at::IntArrayRef{0, 1});
    /// As on CUDA.
    BiasedProduct owing() const { return {productsWithFixedBiases(x_, weight_, bias_).front(), bias_}; }
};

TEST_F(BiasedProducts, OweNothingWithoutTheKernels) {
    const BiasedProduct made = biasedProduct(x_, weight_, bias_);
    EXPECT_FALSE(made.bias.defined());
    EXPECT_TRUE(at::equal(made.y, affine(x_, weight_, bias_)));
    made.y.backward(dy_);
    EXPECT_LT(relative(bias_.grad(), sum_), 1e-6);
}

TEST_F(BiasedProducts, TheirFixedBiasGetsNoGradient) {
    const BiasedProduct made = owing();
    EXPECT_TRUE(at::equal(made.y, affine(x_, weight_, bias_)));
    made.y.backward(dy_);
    EXPECT_FALSE(bias_.grad().defined());
    EXPECT_TRUE(weight_.grad().defined());
}

TEST_F(BiasedProducts, AreCompleteAsTensors) {
    const at::Tensor y = owing();
    EXPECT_TRUE(at::equal(y, affine(x_, weight_, bias_)));
    y.backward(dy_);
    EXPECT_LT(relative(bias_.grad(), sum_), 1e-6);
    const at::Tensor dweight = weight_.grad().clone();
    weight_.mutable_grad().reset();
    affine(x_, weight_, bias_).backward(dy_);
    EXPECT_LT(relative(weight_.grad(), dweight), 1e-6);
}

TEST_F(BiasedProducts, CountEveryReader) {
    const BiasedProduct made = owing();
    const at::Tensor first = made, second = made;
    (first * 2 + second).backward(dy_);
    EXPECT_LT(relative(bias_.grad(), sum_ * 3), 1e-6);
}

TEST_F(BiasedProducts, AreReadByOperatorsWhereThereIsNoKernel) {
    const RandomKey key = randomKey(1, "inner");
    const auto gradientOf = [&](const BiasedProduct& product) {
        bias_.mutable_grad().reset();
        const at::Tensor other = drawnFloats(7, "e", {2, 5, 8});
        (adjusted(other, product, product) + rectified(product)).backward(dy_);
        return bias_.grad();
    };
    EXPECT_LT(relative(gradientOf(owing()), gradientOf(affine(x_, weight_, bias_))), 1e-6);
    const at::Tensor r = drawnFloats(7, "r", {2, 5, 8}), ones = at::ones({8}), zeros = at::zeros({8});
    const auto gradientOfNorm = [&](const BiasedProduct& product) {
        bias_.mutable_grad().reset();
        normedResidual({r, product, product, key, 0.3}, {ones, zeros, 1e-5}).backward(dy_);
        return bias_.grad();
    };
    EXPECT_LT(relative(gradientOfNorm(owing()), gradientOfNorm(affine(x_, weight_, bias_))), 1e-5);
}

/// In a scope of reduced copies, as on CUDA.
TEST_F(BiasedProducts, OfOneInputMakeOneGradientOfIt) {
    const at::Tensor other = drawnFloats(7, "other", {4, 6}).set_requires_grad(true), dz = drawnFloats(7, "dz", {2, 5, 4}),
                     zeros = at::zeros({4}), x = x_.to(at::kBFloat16).set_requires_grad(true);
    const auto run = [&](bool jointly, bool readsBoth) {
        const ReducedParameters none({});
        const ReducedScope scope(&none);
        for (const at::Tensor& leaf : {x, weight_, other}) at::Tensor(leaf).mutable_grad().reset();
        std::vector<at::Tensor> y;
        if (jointly)
            y = productsWithFixedBiases(x, {weight_, other}, {bias_, zeros});
        else
            y = {affine(x, weight_, bias_.detach()), affine(x, other, zeros)};
        const at::Tensor first = (y[0] * dy_).sum(at::kFloat);
        (readsBoth ? first + (y[1] * dz).sum(at::kFloat) : first).backward();
        return std::vector<at::Tensor>{y[0].detach(), y[1].detach(), x.grad(), weight_.grad(), other.grad()};
    };
    for (const bool readsBoth : {false, true}) {
        const std::vector<at::Tensor> made = run(true, readsBoth), expected = run(false, readsBoth);
        EXPECT_TRUE(at::equal(made[0], expected[0]) && at::equal(made[1], expected[1]));
        EXPECT_LT(relative(made[2], expected[2]), 1e-2);
        EXPECT_TRUE(at::equal(made[3], expected[3]));
        EXPECT_EQ(made[4].defined(), readsBoth) << "of a product that nobody reads";
        EXPECT_TRUE(!readsBoth || at::equal(made[4], expected[4]));
    }
}

TEST_F(BiasedProducts, OweNothingForAFrozenBias) {
    const at::Tensor frozen = bias_.detach();
    EXPECT_FALSE(biasedProduct(x_, weight_, frozen).bias.defined());
    EXPECT_FALSE(biasedProduct(x_, weight_, {}).bias.defined());
}

}  // namespace
}  // namespace heddle
