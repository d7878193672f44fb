// SPDX-License-Identifier: Apache-2.0
// What the sparse normalisers promise, by the conditions that define them.
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using verify::OneBlock;

struct Choice {
    const char* id;
    Json params;
};

verify::MadeBlock<Normaliser> make(const Choice& choice) {
    return OneBlock{"normaliser", choice.id, choice.params, {}}.make<Normaliser>(at::kDouble);
}

at::Tensor scores(at::IntArrayRef sizes, double size = 2) { return normal(randomKey(3, "scores"), sizes, 0, size); }

class EveryNormaliser : public ::testing::TestWithParam<Choice> {};
INSTANTIATE_TEST_SUITE_P(Sparse, EveryNormaliser,
                         ::testing::Values(Choice{"softmax", {}}, Choice{"topk", {{"k", 3}}}, Choice{"topk", {{"k", 50}}},
                                           Choice{"sparsek", {{"k", 1}}}, Choice{"sparsek", {{"k", 3}}},
                                           Choice{"entmax15", {}}),
                         [](const auto& tested) { return tested.param.id + std::to_string(tested.index); });

TEST_P(EveryNormaliser, RowsAreShares) {
    for (const double size : {0.01, 2.0, 100.0}) {
        const at::Tensor p = make(GetParam())->normalise(scores({2, 3, 4, 7}, size));
        EXPECT_EQ(p.sizes(), (at::IntArrayRef{2, 3, 4, 7}));
        EXPECT_GE(p.min().item<double>(), 0);
        EXPECT_LT((p.sum(-1) - 1).abs().max().item<double>(), 1e-12);
    }
}

TEST_P(EveryNormaliser, HiddenKeysGetExactlyNothing) {
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        at::Tensor z = scores({1, 2, 6, 6}, 5).to(type);
        const at::Tensor isHidden = at::ones({6, 6}, at::kBool).triu(1);
        const at::Tensor p = make(GetParam())->normalise(z.masked_fill(isHidden, kHiddenScore));
        EXPECT_TRUE(p.masked_select(isHidden).eq(0).all().item<bool>());
        EXPECT_LT((p.sum(-1) - 1).abs().max().item<double>(), 1e-5);
        const at::Tensor cut = make(GetParam())->normalise(z.narrow(2, 3, 1).narrow(3, 0, 4));
        EXPECT_LT((p.narrow(2, 3, 1).narrow(3, 0, 4) - cut).abs().max().item<double>(), 1e-6) << "as if they were not there";
    }
}

TEST_P(EveryNormaliser, RowsWithoutAnyVisibleKeyAreNumbers) {
    const at::Tensor p = make(GetParam())->normalise(at::full({1, 1, 2, 5}, kHiddenScore, at::kFloat));
    EXPECT_TRUE(p.isfinite().all().item<bool>());
}

TEST_P(EveryNormaliser, GradientIsThatOfDifferences) {
    const auto normaliser = make(GetParam());
    const at::Tensor weights = normal(randomKey(4, "weights"), {1, 2, 3, 6}, 0, 1);
    at::Tensor z = scores({1, 2, 3, 6}, 0.7).set_requires_grad(true);
    const auto loss = [&](const at::Tensor& at) { return (normaliser->normalise(at) * weights).sum(); };
    loss(z).backward();
    const at::NoGradGuard noGrad;
    constexpr double kStep = 1e-6;
    for (std::int64_t i = 0; i < z.numel(); ++i) {
        at::Tensor up = z.detach().clone(), down = z.detach().clone();
        up.view(-1)[i] += kStep;
        down.view(-1)[i] -= kStep;
        const double slope = (loss(up) - loss(down)).item<double>() / (2 * kStep);
        EXPECT_NEAR(z.grad().reshape(-1)[i].item<double>(), slope, 1e-6) << i;
    }
}

TEST_P(EveryNormaliser, AnOffsetOfARowChangesNothing) {
    const at::Tensor z = scores({1, 2, 3, 6});
    EXPECT_LT((make(GetParam())->normalise(z + 17) - make(GetParam())->normalise(z)).abs().max().item<double>(), 1e-12);
}

TEST(TopK, IsTheSoftmaxOfTheKLargest) {
    const at::Tensor z = at::tensor(std::vector<double>{1, 4, 3, -2, 0}).view({1, 1, 1, 5});
    const at::Tensor p = make({"topk", {{"k", 2}}})->normalise(z).view(-1);
    const double share = 1 / (1 + std::exp(-1.0));
    EXPECT_NEAR(p[1].item<double>(), share, 1e-12);
    EXPECT_NEAR(p[2].item<double>(), 1 - share, 1e-12);
    EXPECT_EQ(p.count_nonzero().item<std::int64_t>(), 2);
    const at::Tensor tied = at::tensor({3.0, 1.0, 0.5, 1.0, 1.0}).view({1, 1, 1, 5});
    const at::Tensor kept = make({"topk", {{"k", 2}}})->normalise(tied).flatten();
    EXPECT_TRUE(at::equal(kept.gt(0), at::tensor({1, 1, 0, 1, 1}).to(at::kBool))) << "all that tie with the second largest";
    EXPECT_NEAR(kept[0].item<double>(), 1 / (1 + 3 * std::exp(-2.0)), 1e-12);
}

TEST(SparseK, IsTheProjectionOntoTheKSimplex) {
    for (const std::int64_t k : {1, 2, 3, 6, 9}) {
        for (const double size : {0.05, 1.0, 4.0}) {
            const at::Tensor z = scores({1, 2, 5, 8}, size);
            const at::Tensor m = make({"sparsek", {{"k", k}}})->normalise(z) * std::min<std::int64_t>(k, 8);
            EXPECT_LE(m.max().item<double>(), 1 + 1e-12);
            // m = min(1, [z − τ]₊) with one τ: where m lies between 0 and 1 it is z − m, above it m is 1, below it 0.
            const at::Tensor isInside = m.gt(0).logical_and(m.lt(1 - 1e-12));
            const at::Tensor low = (z - m).masked_fill(isInside.logical_not(), 1e9).amin(-1, true);
            const at::Tensor high = (z - m).masked_fill(isInside.logical_not(), -1e9).amax(-1, true);
            EXPECT_TRUE((high - low).le(1e-9).all().item<bool>()) << k;
            EXPECT_TRUE(m.eq(0).logical_and(z.gt(low + 1e-9)).any().item<bool>() == false) << k;
            EXPECT_TRUE(m.ge(1 - 1e-12).logical_and(z.lt(high + 1 - 1e-9)).any().item<bool>() == false) << k;
        }
    }
}

TEST(Entmax15, IsTheSquareAboveOneThreshold) {
    for (const double size : {0.05, 1.0, 4.0}) {
        const at::Tensor z = scores({1, 2, 5, 8}, size), p = make({"entmax15", {}})->normalise(z);
        const at::Tensor isIn = p.gt(0);
        const at::Tensor tau = (z / 2 - p.sqrt()).masked_fill(isIn.logical_not(), -1e9).amax(-1, true);
        EXPECT_LT((((z / 2 - tau).clamp_min(0).square() - p).abs()).max().item<double>(), 1e-9) << size;
    }
    const at::Tensor two = make({"entmax15", {}})->normalise(at::tensor(std::vector<double>{3, 0, 0}).view({1, 1, 1, 3}));
    EXPECT_TRUE(at::equal(two.view(-1), at::tensor(std::vector<double>{1, 0, 0}))) << "2 apart is enough for everything";
}

/// With three heads, its matrices as `start` says.
verify::MadeBlock<Normaliser> talkingHeads(const char* start) {
    return OneBlock{"normaliser", "talking_heads", {{"start", start}}, {.heads = 3}}.make<Normaliser>(at::kDouble);
}

TEST(TalkingHeads, StartTheIdentityAsPlainAttention) {
    const at::Tensor z = scores({2, 3, 4, 5});
    const at::Tensor p = talkingHeads("identity")->normalise(z);
    EXPECT_LT((p - at::softmax(z, -1)).abs().max().item<double>(), 1e-14);
}

TEST(TalkingHeads, MixLogitsBeforeAndWeightsAfterTheSoftmax) {
    const auto normaliser = talkingHeads("drawn");
    const at::Tensor l = normaliser.store.find("block.logits.weight"), w = normaliser.store.find("block.weights.weight");
    const at::Tensor z = scores({1, 3, 2, 4}), p = normaliser->normalise(z);
    for (std::int64_t head = 0; head < 3; ++head) {  // the formula, head by head
        at::Tensor expected = at::zeros({2, 4}, at::kDouble);
        for (std::int64_t from = 0; from < 3; ++from) {
            at::Tensor logits = at::zeros({2, 4}, at::kDouble);
            for (std::int64_t g = 0; g < 3; ++g) logits += l[from][g] * z[0][g];
            expected += w[head][from] * at::softmax(logits, -1);
        }
        EXPECT_LT((p[0][head] - expected).abs().max().item<double>(), 1e-14);
    }
}

TEST(TalkingHeads, HiddenKeysStayHiddenFromEveryHead) {
    const auto normaliser = talkingHeads("drawn");
    const at::Tensor isHidden = at::ones({6, 6}, at::kBool).triu(1);
    const at::Tensor z = scores({1, 3, 6, 6}), p = normaliser->normalise(z.masked_fill(isHidden, kHiddenScore));
    EXPECT_TRUE(p.masked_select(isHidden).eq(0).all().item<bool>());
    const at::Tensor cut = normaliser->normalise(z.narrow(2, 3, 1).narrow(3, 0, 4));
    EXPECT_LT((p.narrow(2, 3, 1).narrow(3, 0, 4) - cut).abs().max().item<double>(), 1e-14) << "as if they were not there";
    EXPECT_TRUE(normaliser->normalise(at::full({1, 3, 2, 5}, kHiddenScore, at::kDouble)).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace heddle
