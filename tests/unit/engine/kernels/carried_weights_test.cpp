// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/carried_weights.h"

#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/dropout.h"
#include "tests/unit/engine/thread_counts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

struct Case {
    std::int64_t queries, keys;
    bool adds, keepsSum;
    double divisor;
    enum class Mask { None, Padding, Future } mask;
};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    return std::to_string(c.queries) + "by" + std::to_string(c.keys) + (c.adds ? "Added" : "") + (c.keepsSum ? "Sum" : "") +
           (c.divisor > 1 ? "Mean" : "") + std::to_string(static_cast<int>(c.mask));
}

at::Tensor hiddenOf(const Case& c) {
    at::Tensor padding_B11K = at::zeros({3, 1, 1, c.keys}, at::kBool);
    padding_B11K[1].slice(2, c.keys - 1).fill_(true);
    padding_B11K[2].fill_(true);  // a row that is all padding
    const at::Tensor future_QK = at::ones({c.queries, c.keys}, at::kBool).triu(1);
    if (c.mask == Case::Mask::None) return {};
    return c.mask == Case::Mask::Padding ? padding_B11K : padding_B11K.logical_or(future_QK);
}

class CarriedWeightsTest : public testing::TestWithParam<Case> {};

TEST_P(CarriedWeightsTest, EqualTheDefinitionInFloat64) {
    const Case& c = GetParam();
    at::manual_seed(3);
    const auto size = {std::int64_t{3}, std::int64_t{2}, c.queries, c.keys};
    const at::Tensor hidden = hiddenOf(c);
    const at::Tensor raw = (at::randn(size) * 3).requires_grad_(), added = at::randn(size).requires_grad_();
    const at::Tensor ofWeights = at::randn(size), ofSum = at::randn(size);
    const at::Tensor none;
    ASSERT_TRUE(takesScores(raw, hidden));
    const CarriedWeights made = carriedWeights({raw, c.adds ? added : none, hidden, c.divisor, c.keepsSum});
    at::Tensor reached = (made.weights * ofWeights).sum();
    if (c.keepsSum) reached = reached + (made.sum * ofSum).sum();
    reached.backward();

    const at::Tensor exactRaw = raw.detach().to(at::kDouble).requires_grad_(),
                     exactAdded = added.detach().to(at::kDouble).requires_grad_();
    const at::Tensor sum = c.adds ? exactRaw + exactAdded : exactRaw * 1;
    const at::Tensor logits = hidden.defined() ? (sum / c.divisor).masked_fill(hidden, kHiddenScore) : sum / c.divisor;
    const at::Tensor weights = at::softmax(logits, -1);
    at::Tensor exact = (weights * ofWeights).sum();
    if (c.keepsSum) exact = exact + (sum * ofSum).sum();
    exact.backward();

    const auto near = [](const at::Tensor& a, const at::Tensor& b) { return at::allclose(a.to(at::kDouble), b, 1e-5, 1e-6); };
    EXPECT_TRUE(near(made.weights, weights));
    EXPECT_TRUE(near(raw.grad(), exactRaw.grad()));
    EXPECT_TRUE(!c.adds || near(added.grad(), exactAdded.grad()));
    EXPECT_TRUE(!c.keepsSum || near(made.sum, sum));
    EXPECT_EQ(made.sum.defined(), c.keepsSum);
    if (hidden.defined()) {
        const at::Tensor isHidden = hidden.expand_as(made.weights).slice(0, 0, 2);  // the third row has no visible key
        EXPECT_EQ(made.weights.slice(0, 0, 2).masked_select(isHidden).abs().max().item<float>(), 0) << "not nearly 0";
    }
}

TEST(CarriedWeights, DoNotDependOnTheNumberOfThreads) {
    at::manual_seed(3);
    const at::Tensor raw = at::randn({4, 4, 64, 64}), added = at::randn({4, 4, 64, 64}), dy = at::randn({4, 4, 64, 64});
    testing_support::expectTheSameByAnyThreads([&] {
        const at::Tensor leaf = raw.clone().requires_grad_();
        const CarriedWeights made = carriedWeights({leaf, added, {}, 1, true});
        ((made.weights + made.sum) * dy).sum().backward();
        return std::vector<at::Tensor>{made.weights.detach(), made.sum.detach(), leaf.grad()};
    });
}

TEST(CarriedWeights, DropWhatDropoutWould) {
    const RandomKey key = randomKey(3, "attention", 5, 1);
    const at::Tensor raw = normal(randomKey(1, "raw"), {2, 3, 5, 7}, 0, 1).to(at::kFloat), none;
    const at::Tensor given = raw.clone().requires_grad_(), plain = raw.clone().requires_grad_();
    const CarriedWeights made = carriedWeights({given, none, none, 1, false, key, 0.4});
    const CarriedWeights weights = carriedWeights({plain, none, none});
    const at::Tensor dropped = dropout(key, 0.4, weights.weights);
    EXPECT_TRUE(at::equal(made.weights, weights.weights));
    EXPECT_TRUE(at::equal(made.dropped, dropped));
    EXPECT_TRUE(at::equal(weights.dropped, weights.weights));
    (made.dropped.square().sum() + made.weights.pow(3).sum()).backward();
    (dropped.square().sum() + weights.weights.pow(3).sum()).backward();
    EXPECT_TRUE(at::equal(given.grad(), plain.grad()));
}

using Mask = Case::Mask;
INSTANTIATE_TEST_SUITE_P(Scores, CarriedWeightsTest,
                         testing::Values(Case{5, 5, true, false, 1, Mask::Future}, Case{16, 16, true, true, 1, Mask::Padding},
                                         Case{7, 33, true, true, 3, Mask::Padding}, Case{64, 64, true, false, 1, Mask::None},
                                         Case{2, 1, true, true, 1, Mask::None}, Case{31, 47, false, true, 1, Mask::Padding},
                                         Case{20, 20, false, false, 1, Mask::Future}),
                         nameOf);

TEST(CarriedWeights, LeaveWhatTheyDoNotTakeToTheReadablePath) {
    const at::Tensor raw = at::zeros({2, 3, 4, 4}), none;
    EXPECT_TRUE(takesScores(raw, none));
    EXPECT_FALSE(takesScores(raw.to(at::kDouble), none));
    EXPECT_FALSE(takesScores(raw.transpose(2, 3), none));
    EXPECT_FALSE(takesScores(raw, at::zeros({1, 3, 4, 4}, at::kBool))) << "a mask of its own for every head";
}

}  // namespace
}  // namespace heddle
