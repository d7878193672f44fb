// SPDX-License-Identifier: Apache-2.0
// The linear map by oneDNN against float64: values and gradients, also where only some are needed; and the products that stay
// torch's.
#include "engine/kernels/affine.h"

#include "engine/device/precision.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/onednn.h"
#include "engine/tasks/loss.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::leaf;
using testing_support::relative;

constexpr double kAffineTolerance = 3e-6;  // ‖error‖ / ‖value‖ of sums of a few thousand products in float32

class AffineByOneDnn : public testing::Test {
protected:
    void SetUp() override {
        if (!onednn::isThere()) GTEST_SKIP() << "this torch has no float32 products by oneDNN";
    }
};

TEST_F(AffineByOneDnn, ValuesAndGradientsAreThoseOfFloat64) {
    struct Case {
        std::vector<std::int64_t> rows;
        std::int64_t in, out;
    };
    // A product small enough for torch, a large one, and two with thousands of outputs, whose weight gradient is computed
    // transposed.
    for (const Case& of : {Case{{2, 3}, 8, 5}, Case{{4, 300}, 128, 256}, Case{{700}, 60, 4111}, Case{{2}, 4096, 5000}}) {
        std::vector<std::int64_t> in = of.rows, out = of.rows;
        in.push_back(of.in), out.push_back(of.out);
        const at::Tensor x = drawnFloats(5, "x", in), w = drawnFloats(5, "w", {of.out, of.in}),
                         b = drawnFloats(5, "b", {of.out}), dy = drawnFloats(5, "dy", out);
        const auto x1 = leaf(x, at::kFloat), w1 = leaf(w, at::kFloat), b1 = leaf(b, at::kFloat);
        const auto x2 = leaf(x, at::kDouble), w2 = leaf(w, at::kDouble), b2 = leaf(b, at::kDouble);
        const at::Tensor y = affineBy(ProductLibrary::OneDnn, x1, w1, b1), expected = at::linear(x2, w2, b2);
        EXPECT_EQ(y.sizes(), expected.sizes());
        EXPECT_LT(relative(y, expected), kAffineTolerance);
        y.backward(dy), expected.backward(dy.to(at::kDouble));
        EXPECT_LT(relative(x1.grad(), x2.grad()), kAffineTolerance);
        EXPECT_LT(relative(w1.grad(), w2.grad()), kAffineTolerance);
        EXPECT_LT(relative(b1.grad(), b2.grad()), kAffineTolerance);
        EXPECT_TRUE(w1.grad().is_contiguous());
    }
}

TEST_F(AffineByOneDnn, GivesOnlyTheGradientsThatAreAskedFor) {
    const at::Tensor x = drawnFloats(5, "x", {1200, 128}), frozen = drawnFloats(5, "w", {256, 128}),
                     dy = drawnFloats(5, "dy", {1200, 256});
    const at::Tensor given = leaf(x, at::kFloat), expected = leaf(x, at::kDouble);
    affineBy(ProductLibrary::OneDnn, given, frozen, {}).backward(dy);
    at::linear(expected, frozen.to(at::kDouble)).backward(dy.to(at::kDouble));
    EXPECT_LT(relative(given.grad(), expected.grad()), kAffineTolerance);
    const at::Tensor weight = leaf(frozen, at::kFloat);
    affineBy(ProductLibrary::OneDnn, x, weight, {}).backward(dy);
    EXPECT_LT(relative(weight.grad(), dy.to(at::kDouble).t().mm(x.to(at::kDouble))), kAffineTolerance);
    const at::Tensor bias = leaf(drawnFloats(5, "b", {256}), at::kFloat);
    affineBy(ProductLibrary::OneDnn, x, frozen, bias).backward(dy);
    EXPECT_LT(relative(bias.grad(), dy.to(at::kDouble).sum(0)), kAffineTolerance);
}

TEST_F(AffineByOneDnn, TakesOperandsThatAreNotContiguous) {
    const at::Tensor x = drawnFloats(5, "x", {128, 1200}).t(), w = leaf(drawnFloats(5, "w", {256, 128}), at::kFloat);
    const at::Tensor given = x.detach().set_requires_grad(true);
    const at::Tensor y = affineBy(ProductLibrary::OneDnn, given, w, {});
    EXPECT_LT(relative(y, at::linear(x.to(at::kDouble), w.detach().to(at::kDouble))), kAffineTolerance);
    y.sum().backward();  // its gradient is one number, expanded
    EXPECT_LT(relative(given.grad(), w.detach().to(at::kDouble).sum(0).expand({1200, 128})), kAffineTolerance);
}

TEST_F(AffineByOneDnn, MayBeChangedInPlace) {
    const at::Tensor x = leaf(drawnFloats(5, "x", {4, 300, 128}), at::kFloat), w = drawnFloats(5, "w", {256, 128});
    at::Tensor y = affineBy(ProductLibrary::OneDnn, x, w, {});
    y.relu_().sum().backward();
    const at::Tensor expected = leaf(x, at::kDouble);
    at::linear(expected, w.to(at::kDouble)).relu().sum().backward();
    EXPECT_LT(relative(x.grad(), expected.grad()), kAffineTolerance);
}

TEST_F(AffineByOneDnn, IsTheSameFromCallToCall) {
    const at::Tensor x = drawnFloats(5, "x", {900, 256}), w = drawnFloats(5, "w", {512, 256}), b = drawnFloats(5, "b", {512}),
                     dy = drawnFloats(5, "dy", {900, 512});
    const auto made = [&] {  // in memory of its own every time
        const at::Tensor x1 = leaf(x, at::kFloat), w1 = leaf(w, at::kFloat), b1 = leaf(b, at::kFloat);
        const at::Tensor y = affineBy(ProductLibrary::OneDnn, x1, w1, b1);
        y.backward(dy.clone());
        return std::vector<at::Tensor>{y.detach(), x1.grad(), w1.grad(), b1.grad()};
    };
    const std::vector<at::Tensor> first = made();
    for (int i = 0; i < 3; ++i) {
        const std::vector<at::Tensor> again = made();
        for (std::size_t k = 0; k < first.size(); ++k) EXPECT_TRUE(at::equal(first[k], again[k])) << k;
    }
}

TEST_F(AffineByOneDnn, GradientsHaveGradients) {
    const at::Tensor x = leaf(drawnFloats(5, "x", {1200, 128}), at::kFloat),
                     w = leaf(drawnFloats(5, "w", {256, 128}), at::kFloat);
    const at::Tensor squares = affineBy(ProductLibrary::OneDnn, x, w, {}).square().sum();
    const at::Tensor dx = torch::autograd::grad({squares}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    const at::Tensor ddx = torch::autograd::grad({dx.sum()}, {x})[0];  // 2 Wᵀ W 1
    const at::Tensor w64 = w.detach().to(at::kDouble);
    EXPECT_LT(relative(ddx, (2 * w64.t().mm(w64)).sum(0).expand({1200, 128})), kAffineTolerance);
}

// Where torch computes the products, contiguous weights must not change a run.
TEST(Affine, OfFactorsBehindEachOtherGivesTorchsBitsByTorch) {
    for (const bool hasBias : {false, true})
        for (const std::vector<std::int64_t>& rows : std::vector<std::vector<std::int64_t>>{{1}, {33}, {2, 17}, {4, 130}}) {
            std::vector<std::int64_t> in = rows, out = rows;
            in.push_back(64), out.push_back(112);
            const at::Tensor w = drawnFloats(5, "w", {112, 64}), b = drawnFloats(5, "b", {112}), dy = drawnFloats(5, "dy", out);
            const at::Tensor x1 = leaf(drawnFloats(5, "x", in), at::kFloat), x2 = leaf(drawnFloats(5, "x", in), at::kFloat);
            std::vector<at::Tensor> weights, biases, apart, biasesApart;
            std::int64_t first = 0;
            for (const std::int64_t width : {32, 32, 48}) {
                weights.push_back(w.narrow(0, first, width).detach().set_requires_grad(true));
                biases.push_back(b.narrow(0, first, width).detach().set_requires_grad(true));
                apart.push_back(leaf(weights.back(), at::kFloat)), biasesApart.push_back(leaf(biases.back(), at::kFloat));
                first += width;
            }
            const at::Tensor y = affineBy(ProductLibrary::Torch, x1, weights, hasBias ? biases : std::vector<at::Tensor>());
            const at::Tensor expected = at::linear(
                x2, at::cat(apart), hasBias ? std::optional<at::Tensor>(at::cat(biasesApart)) : std::optional<at::Tensor>());
            EXPECT_TRUE(at::equal(y, expected));
            y.backward(dy), expected.backward(dy);
            EXPECT_TRUE(at::equal(x1.grad(), x2.grad()));
            for (std::size_t i = 0; i < weights.size(); ++i) {
                EXPECT_TRUE(at::equal(weights[i].grad(), apart[i].grad()));
                if (hasBias) {
                    EXPECT_TRUE(at::equal(biases[i].grad(), biasesApart[i].grad()));
                }
            }
        }
}

TEST(Affine, IsTorchsWhereOperandsAreNotFloat32) {
    const at::Tensor x = drawnFloats(5, "x", {3, 16}), w = drawnFloats(5, "w", {7, 16}), b = drawnFloats(5, "b", {7});
    const auto wide = [](const at::Tensor& t) { return t.to(at::kDouble); };
    EXPECT_TRUE(at::equal(affine(wide(x), wide(w), wide(b)), at::linear(wide(x), wide(w), wide(b))));
    EXPECT_TRUE(at::equal(affine(x, w, {}), at::linear(x, w)));
    EXPECT_EQ(affine(drawnFloats(5, "x", {0, 16}), w, b).sizes(), (std::vector<std::int64_t>{0, 7}));
}

/// z = x Wᵀ + b in bfloat16, and a loss on it.
struct Words {
    at::Tensor x, w, b, logits;
    LossSums loss;
};
Words wordsBy(at::Tensor (*product)(const at::Tensor&, const at::Tensor&, const at::Tensor&), std::int64_t outputs,
              LossOptions::Gradient gradient) {
    Words of{leaf(drawnFloats(5, "x", {50, 48}), at::kFloat),
             leaf(drawnFloats(5, "w", {outputs, 48}), at::kFloat),
             leaf(drawnFloats(5, "b", {outputs}), at::kFloat),
             {},
             {}};
    {
        const AutocastScope autocast(at::kCPU, Precision::BFloat16);
        of.logits = product(of.x, of.w, of.b);
    }
    LossOptions options{0.1, 0.02};
    options.gradient = gradient;
    at::Tensor targets = at::arange(50).remainder(outputs);
    targets[7] = -1;
    of.loss = crossEntropyWithGradient(of.logits, targets, options);
    of.logits.backward(of.loss.gradient);
    return of;
}
at::Tensor unpadded(const at::Tensor& x, const at::Tensor& w, const at::Tensor& b) { return at::linear(x, w, b); }

TEST(PaddedAffine, IsTheProductWithoutPadding) {
    using Gradient = LossOptions::Gradient;
    for (const std::int64_t outputs : {37, 64, 203}) {
        const Words plain = wordsBy(unpadded, outputs, Gradient::Own);
        for (const Gradient gradient : {Gradient::Own, Gradient::OverLogits}) {
            SCOPED_TRACE(testing::Message() << outputs << (gradient == Gradient::Own ? ", own" : ", over the logits"));
            const Words padded = wordsBy(paddedAffine, outputs, gradient);
            EXPECT_EQ(padded.logits.scalar_type(), at::kBFloat16);
            EXPECT_EQ(padded.logits.sizes(), (at::IntArrayRef{50, outputs}));
            EXPECT_EQ(padded.logits.stride(0), (outputs + 63) / 64 * 64);
            EXPECT_LT(relative(padded.loss.objective, plain.loss.objective), 1e-4);
            EXPECT_LT(relative(padded.x.grad(), plain.x.grad()), 1e-2);
            EXPECT_LT(relative(padded.w.grad(), plain.w.grad()), 1e-2);
            EXPECT_LT(relative(padded.b.grad(), plain.b.grad()), 1e-2);
            EXPECT_EQ(padded.w.grad().scalar_type(), at::kFloat);
            EXPECT_TRUE(padded.w.grad().is_contiguous());
            const bool isOver = gradient == Gradient::OverLogits;
            EXPECT_EQ(padded.loss.gradient.data_ptr() == padded.logits.data_ptr(), isOver);
        }
    }
}

TEST(PaddedAffine, KeepsZerosBehindTheRows) {
    const Words words = wordsBy(paddedAffine, 37, LossOptions::Gradient::OverLogits);
    const at::Tensor behind = words.logits.detach().as_strided({50, 27}, {64, 1}, 37);
    EXPECT_EQ(behind.abs().max().item<float>(), 0);
}

TEST(PaddedAffine, TheLayoutOfTheGradientChangesNoBit) {
    const Words over = wordsBy(paddedAffine, 203, LossOptions::Gradient::OverLogits),
                own = wordsBy(paddedAffine, 203, LossOptions::Gradient::Own);
    EXPECT_TRUE(at::equal(over.loss.gradient, own.loss.gradient));
    EXPECT_TRUE(at::equal(over.x.grad(), own.x.grad()));
    EXPECT_TRUE(at::equal(over.w.grad(), own.w.grad()));
    EXPECT_TRUE(at::equal(over.b.grad(), own.b.grad()));
}

TEST(PaddedAffine, TakesAnyLeadingAxes) {
    const at::Tensor x = leaf(drawnFloats(5, "x", {3, 5, 16}), at::kFloat), w = leaf(drawnFloats(5, "w", {10, 16}), at::kFloat);
    const AutocastScope autocast(at::kCPU, Precision::BFloat16);
    at::Tensor y = paddedAffine(x, w, {});
    EXPECT_EQ(y.sizes(), (at::IntArrayRef{3, 5, 10}));
    EXPECT_LT(relative(y, at::linear(x, w)), 1e-2);
    y.mul_(2).sum().backward();
    EXPECT_LT(relative(x.grad(), w.detach().sum(0).mul(2).expand_as(x)), 1e-2);
}

TEST(PaddedAffine, OtherProductsStayAsTheyAre) {
    const at::Tensor x = drawnFloats(5, "x", {6, 16}), w = drawnFloats(5, "w", {10, 16}), b = drawnFloats(5, "b", {10});
    EXPECT_TRUE(at::equal(paddedAffine(x, w, b), affine(x, w, b)));
    EXPECT_TRUE(paddedAffine(x, w, b).is_contiguous());
    const AutocastScope autocast(at::kCPU, Precision::BFloat16);
    EXPECT_EQ(paddedAffine(x.to(at::kDouble), w.to(at::kDouble), {}).scalar_type(), at::kDouble);
    EXPECT_EQ(paddedAffine(x.narrow(0, 0, 0), w, b).sizes(), (at::IntArrayRef{0, 10}));
}

}  // namespace
}  // namespace heddle
