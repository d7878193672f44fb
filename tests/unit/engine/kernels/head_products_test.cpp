// SPDX-License-Identifier: Apache-2.0
// Products of heads against float64: values and gradients, wherever heads lie in memory.
#include "engine/kernels/head_products.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/cpu/small_products.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"
#include "tests/unit/engine/thread_counts.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::leaf;
using testing_support::relative;

constexpr double kProductTolerance = 1e-6;  // ‖error‖ / ‖value‖

rows::Matrix matrixOf(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.stride(0), x.stride(1)}; }

TEST(SmallProducts, AreThoseOfFloat64WhereverTheOperandsLie) {
    struct Sizes {
        std::int64_t m, n, k;
    };
    for (const Sizes& of :
         {Sizes{1, 1, 1}, {3, 5, 7}, {4, 16, 16}, {64, 64, 32}, {64, 32, 64}, {13, 40, 17}, {9, 100, 1100}, {70, 129, 33}})
        for (const bool isATransposed : {false, true})
            for (const char* b : {"dense", "transposed", "apart"}) {
                const at::Tensor left =
                    isATransposed ? drawnFloats(6, "a", {of.k, of.m}).t() : drawnFloats(6, "a", {of.m, of.k});
                at::Tensor right = drawnFloats(6, "b", {of.k, of.n});
                if (b[0] == 't') right = right.t().contiguous().t();
                if (b[0] == 'a') right = drawnFloats(6, "b", {of.k, of.n, 3}).select(2, 1);
                const at::Tensor before = drawnFloats(6, "c", {of.m, of.n + 2}),
                                 product = left.to(at::kDouble).mm(right.to(at::kDouble));
                for (const bool adds : {false, true}) {
                    const at::Tensor c = before.clone();
                    rows::product(matrixOf(left), matrixOf(right), {c.data_ptr<float>(), of.n + 2, 0.5F, adds}, of.m, of.n,
                                  of.k);
                    const at::Tensor expected =
                        0.5 * product + (adds ? before.narrow(1, 0, of.n).to(at::kDouble) : at::zeros({}));
                    EXPECT_LT(relative(c.narrow(1, 0, of.n), expected), kProductTolerance)
                        << of.m << "x" << of.n << "x" << of.k << b;
                    EXPECT_TRUE(at::equal(c.narrow(1, of.n, 2), before.narrow(1, of.n, 2))) << "wrote beside its columns";
                }
            }
}

TEST(SmallProducts, KeepWhatIsNotANumber) {
    at::Tensor a = at::ones({5, 20}), b = at::ones({20, 20}), c = at::zeros({5, 20});
    a[2][3] = std::numeric_limits<float>::quiet_NaN();
    rows::product(matrixOf(a), matrixOf(b), {c.data_ptr<float>(), 20}, 5, 20, 20);
    EXPECT_TRUE(c[2].isnan().all().item<bool>());
    EXPECT_EQ(c.isnan().sum().item<std::int64_t>(), 20);
}

/// [B,H,S,E] as the projections leave it: heads side by side in every row.
at::Tensor splitDrawn(const std::string& name, std::int64_t batch, std::int64_t heads, std::int64_t length,
                      std::int64_t width) {
    return drawnFloats(6, name, {batch, length, heads, width}).transpose(1, 2);
}

/// A leaf that lies in memory as x does.
at::Tensor leafLike(const at::Tensor& x, at::ScalarType type) {
    return at::empty_strided(x.sizes(), x.strides(), x.options().dtype(type)).copy_(x).set_requires_grad(true);
}

struct HeadLeaves {
    at::Tensor q, k, v;
};
HeadLeaves headLeaves(at::ScalarType type) {
    return {leafLike(splitDrawn("q", 3, 4, 40, 32), type), leafLike(splitDrawn("k", 3, 4, 50, 32), type),
            leafLike(splitDrawn("v", 3, 4, 50, 24), type)};
}

class HeadProductsTest : public testing::Test {
protected:
    void SetUp() override {
        if (productLibrary() != ProductLibrary::OneDnn) GTEST_SKIP() << "this processor's products are torch's";
    }

    using Product = std::function<at::Tensor(const at::Tensor& a, const at::Tensor& b)>;

    /// Heddle's product and torch's in float64, with a gradient that is not dense.
    static void expectTheSame(const Product& product, const Product& expected, const at::Tensor& a, const at::Tensor& b) {
        const at::Tensor a1 = leafLike(a, at::kFloat), b1 = leafLike(b, at::kFloat);
        const at::Tensor a2 = leafLike(a, at::kDouble), b2 = leafLike(b, at::kDouble);
        const at::Tensor c1 = product(a1, b1), c2 = expected(a2, b2);
        ASSERT_EQ(c1.sizes(), c2.sizes());
        EXPECT_LT(relative(c1, c2), kProductTolerance);
        const at::Tensor dc = drawnFloats(6, "dc", c1.sizes()).transpose(0, 1).contiguous().transpose(0, 1);
        c1.backward(dc), c2.backward(dc.to(at::kDouble));
        EXPECT_LT(relative(a1.grad(), a2.grad()), kProductTolerance);
        EXPECT_LT(relative(b1.grad(), b2.grad()), kProductTolerance);
        EXPECT_EQ(a1.grad().strides(), a.strides()) << "its gradient lies elsewhere";
    }
};

TEST_F(HeadProductsTest, ScoresAreThoseOfFloat64) {
    for (const std::int64_t keys : {9, 64, 131})
        expectTheSame([](const at::Tensor& q, const at::Tensor& k) { return headScores(q, k, 0.125); },
                      [](const at::Tensor& q, const at::Tensor& k) { return at::matmul(q, k.transpose(-2, -1)) * 0.125; },
                      splitDrawn("q", 3, 4, 40, 32), splitDrawn("k", 3, 4, keys, 32));
}

TEST_F(HeadProductsTest, MixturesAreThoseOfFloat64AndJoinWithoutACopy) {
    const at::Tensor weights = drawnFloats(6, "w", {3, 4, 40, 50}), v = splitDrawn("v", 3, 4, 50, 24);
    expectTheSame(
        headMix, [](const at::Tensor& w, const at::Tensor& x) { return at::matmul(w, x); }, weights, v);
    EXPECT_TRUE(headMix(weights, v).transpose(1, 2).is_contiguous());
    expectTheSame(
        headMix, [](const at::Tensor& w, const at::Tensor& x) { return at::matmul(w, x); }, weights,
        drawnFloats(6, "v", {3, 4, 50, 24}));
}

TEST_F(HeadProductsTest, MapsAreThoseOfFloat64) {
    const at::Tensor maps = drawnFloats(6, "m", {4, 60, 60}).narrow(1, 0, 50).narrow(2, 0, 50);
    const at::Tensor p = drawnFloats(6, "p", {3, 4, 40, 50}), p1 = leaf(p, at::kFloat), p2 = leaf(p, at::kDouble);
    const at::Tensor whole1 = leaf(drawnFloats(6, "m", {4, 60, 60}), at::kFloat),
                     whole2 = leaf(drawnFloats(6, "m", {4, 60, 60}), at::kDouble);
    const auto part = [](const at::Tensor& whole) { return whole.narrow(1, 0, 50).narrow(2, 0, 50); };
    const at::Tensor c1 = headMap(p1, part(whole1)), c2 = at::matmul(p2, part(whole2)), dc = drawnFloats(6, "dc", c1.sizes());
    EXPECT_LT(relative(c1, c2), kProductTolerance);
    c1.backward(dc), c2.backward(dc.to(at::kDouble));
    EXPECT_LT(relative(p1.grad(), p2.grad()), kProductTolerance);
    EXPECT_LT(relative(whole1.grad(), whole2.grad()), kProductTolerance);
}

/// By its definition; rows without a visible key are the mean of all values.
at::Tensor definedAttention(const HeadLeaves& of, const at::Tensor& hidden, double scale) {
    at::Tensor scores = at::matmul(of.q, of.k.transpose(-2, -1)) * scale;
    if (hidden.defined()) scores = scores.masked_fill(hidden, -1e30);
    return at::matmul(at::softmax(scores, -1), of.v);
}

TEST_F(HeadProductsTest, AttentionIsThatOfFloat64) {
    at::Tensor padding = at::zeros({3, 1, 1, 50}, at::kBool);
    padding.select(0, 1).slice(-1, 30).fill_(true);
    padding.select(0, 2).fill_(true);
    const at::Tensor future = at::ones({40, 50}, at::kBool).triu(3);
    for (const at::Tensor& hidden : {at::Tensor(), padding, future, padding.logical_or(future)}) {
        const HeadLeaves of = headLeaves(at::kFloat), expected = headLeaves(at::kDouble);
        const at::Tensor y = headAttention(of.q, of.k, of.v, hidden, 0.2), y64 = definedAttention(expected, hidden, 0.2);
        EXPECT_LT(relative(y, y64), kProductTolerance);
        EXPECT_TRUE(y.transpose(1, 2).is_contiguous());
        const at::Tensor dy = drawnFloats(6, "dy", {3, 4, 24, 40}).transpose(2, 3);
        y.backward(dy), y64.backward(dy.to(at::kDouble));
        EXPECT_LT(relative(of.q.grad(), expected.q.grad()), kProductTolerance);
        EXPECT_LT(relative(of.k.grad(), expected.k.grad()), kProductTolerance);
        EXPECT_LT(relative(of.v.grad(), expected.v.grad()), kProductTolerance);
    }
}

TEST_F(HeadProductsTest, AttentionLeavesTorchWhatDoesNotFit) {
    const HeadLeaves of = headLeaves(at::kFloat), wide = headLeaves(at::kDouble);
    EXPECT_FALSE(headAttention(wide.q, wide.k, wide.v, {}, 1).defined());
    EXPECT_FALSE(headAttention(of.q, of.k, of.v, at::zeros({1, 4, 40, 50}, at::kBool), 1).defined()) << "a mask of its own";
    const at::Tensor large = at::zeros({1, 1, 300, 8});
    EXPECT_FALSE(headAttention(large, large, large, {}, 1).defined());
}

TEST_F(HeadProductsTest, GiveOnlyTheGradientsThatAreAskedFor) {
    const at::Tensor q = splitDrawn("q", 2, 2, 16, 8), k = leafLike(splitDrawn("k", 2, 2, 16, 8), at::kFloat);
    headScores(q, k, 1).sum().backward();  // its gradient is one number, expanded
    EXPECT_LT(relative(k.grad(), q.to(at::kDouble).sum(2, true).expand_as(k)), kProductTolerance);
}

TEST_F(HeadProductsTest, GradientsHaveGradients) {
    const at::Tensor q = leafLike(splitDrawn("q", 2, 2, 16, 8), at::kFloat), k = splitDrawn("k", 2, 2, 16, 8);
    const at::Tensor squares = headScores(q, k, 0.5).square().sum();
    const at::Tensor dq = torch::autograd::grad({squares}, {q}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    const at::Tensor ddq = torch::autograd::grad({dq.sum()}, {q})[0];
    const at::Tensor k64 = k.to(at::kDouble), ones = at::ones_like(q, at::kDouble).detach();
    const at::Tensor expected = 0.5 * at::matmul(at::matmul(ones, k64.transpose(-2, -1)), k64);  // 2 · ½ · ½ · 1 kᵀ k
    EXPECT_LT(relative(ddq, expected), kProductTolerance);
}

TEST_F(HeadProductsTest, DoNotDependOnTheNumberOfThreads) {
    const at::Tensor q = splitDrawn("q", 3, 4, 40, 32), w = drawnFloats(6, "w", {4, 40, 40});
    testing_support::expectTheSameByAnyThreads([&] {
        const at::Tensor a = leafLike(q, at::kFloat), b = leafLike(w, at::kFloat);
        const at::Tensor c = headMix(headMap(headScores(a, a, 1), b), a);
        const at::Tensor d = headAttention(c, a, a, {}, 1);
        d.sum().backward();
        return std::vector<at::Tensor>{c.detach(), d.detach(), a.grad(), b.grad()};
    });
}

}  // namespace
}  // namespace heddle
