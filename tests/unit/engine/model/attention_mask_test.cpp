// SPDX-License-Identifier: Apache-2.0
// What a mask says of itself, so that attention may run without one, or with a causal one that is never written out.
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/model/mixer.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

class StatedMask final : public Mask {
public:
    StatedMask(bool padding, bool future) : padding_(padding), future_(future) {}
    bool hidesPadding() const override { return padding_; }
    bool hidesFuture() const override { return future_; }

private:
    bool padding_, future_;
};

/// Three rows of six keys, padding at the end of two of them.
at::Tensor paddingOfThree() {
    at::Tensor padding_BK = at::zeros({3, 6}, at::kBool);
    padding_BK[1].narrow(0, 4, 2).fill_(true);
    padding_BK[2].narrow(0, 1, 5).fill_(true);
    return padding_BK;
}

TEST(AttentionMask, KnowsWhetherItIsCausal) {
    const KeyMasks whole(paddingOfThree(), 6, at::kFloat), later(paddingOfThree(), 6, at::kFloat, StepPosition{2});
    EXPECT_TRUE(whole.of(StatedMask(true, true)).isCausal());
    EXPECT_TRUE(whole.of(StatedMask(false, true)).isCausal());
    EXPECT_FALSE(whole.of(StatedMask(true, false)).isCausal());
    EXPECT_FALSE(later.of(StatedMask(true, true)).isCausal()) << "its first query is not the first key";
    const KeyMasks anywhere({paddingOfThree(), false}, 6, at::kFloat);
    EXPECT_FALSE(anywhere.of(StatedMask(true, true)).isCausal()) << "a query after padding must not see it";
    EXPECT_TRUE(anywhere.of(StatedMask(false, true)).isCausal());
}

TEST(AttentionMask, TheHostSeesWhereRowsArePadded) {
    EXPECT_EQ(paddingAmong({4, 5, 6, 7}, 2), Padding::None);
    EXPECT_EQ(paddingAmong({4, 5, 6, kPad}, 2), Padding::Possible);
    EXPECT_EQ(paddingAmong({4, kPad, 6, 7}, 2), Padding::Possible) << "the end of the first row";
    EXPECT_EQ(paddingAmong({4, 5, kPad, 7}, 2), Padding::Anywhere);
    EXPECT_EQ(paddingAmong({kPad, kPad, 4, kPad}, 2), Padding::Possible) << "a row that fills up a batch";
    EXPECT_EQ(paddingAmong({4, kPad, 6, 7, 8, 9}, 2), Padding::Anywhere) << "two rows of three";
    EXPECT_EQ(paddingAmong({}, 2), Padding::None);
}

TEST(AttentionMask, ACausalOneGivesEveryQueryThatIsNoPaddingWhatTheMaskOfNumbersGives) {
    const at::Tensor padding_BK = paddingOfThree();
    const KeyMasks keys(padding_BK, 6, at::kFloat);
    const AttentionMask& mask = keys.of(StatedMask(true, true));
    const auto drawn = [&](const char* stream) { return normal(randomKey(3, stream, 0), {3, 2, 6, 4}, 0, 1).to(at::kFloat); };
    const at::Tensor q = drawn("q"), k = drawn("k"), v = drawn("v");
    const at::Tensor causal = at::scaled_dot_product_attention(q, k, v, {}, 0.0, true, 0.5);
    const at::Tensor byNumbers = at::scaled_dot_product_attention(q, k, v, mask.bias(), 0.0, false, 0.5);
    const at::Tensor differs_BQ = (causal - byNumbers).abs().amax({1, 3});
    EXPECT_LT(differs_BQ.masked_fill(padding_BK, 0).max().item<double>(), 1e-6);
    EXPECT_GT(differs_BQ.max().item<double>(), 1e-3) << "what padding sees differs, and nobody reads it";
}

// Before: the rows that fill up a batch made the gradients of fused attention in bfloat16 infinite on an H100.
TEST(AttentionMask, AQueryThatSeesNoKeyHasNoBias) {
    at::Tensor padding_BK = paddingOfThree();
    padding_BK[2].fill_(true);
    const KeyMasks keys(padding_BK, 6, at::kFloat);
    const at::Tensor ofPadding = keys.of(StatedMask(true, false)).bias(), ofBoth = keys.of(StatedMask(true, true)).bias();
    EXPECT_EQ(ofPadding[2].abs().max().item<float>(), 0);
    EXPECT_EQ(ofBoth[2].abs().max().item<float>(), 0);
    EXPECT_TRUE(at::equal(ofPadding[1][0][0].ne(0), padding_BK[1]));
    EXPECT_EQ(ofBoth[0][0][0][1].item<float>(), static_cast<float>(kHiddenScore))
        << "the second key is the first query's future";
}

TEST(AttentionMask, WhereTheHostKnowsOfNoPaddingNothingChanges) {
    for (const Json& over : {Json::object(), Json{{"preset", "eau-full"}}, Json{{"preset", "realformer"}}}) {
        const auto model = testing_support::buildTiny(over);
        const at::Tensor source = at::tensor({4, 5, 6, 7, 8, 9}, at::kLong).view({2, 3});
        const at::Tensor possible = model->encode({source, {}, Padding::Possible}, {});
        const at::Tensor none = model->encode({source, {}, Padding::None}, {});
        EXPECT_LT(testing_support::distance(possible, none), 1e-12) << over;
        if (model->variant().decoder.empty()) continue;
        const at::Tensor target = at::tensor({2, 5, 2, 6}, at::kLong).view({2, 2});
        const at::Tensor withMasks = model->decode({target, {}}, {possible, source}, {});
        const at::Tensor without = model->decode({target, {}, Padding::None}, {none, source, Padding::None}, {});
        EXPECT_LT(testing_support::distance(withMasks, without), 1e-12) << over;
    }
}

}  // namespace
}  // namespace heddle
