// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/prefetcher.h"
#include "engine/data/batching/row_batches.h"
#include "engine/data/batching/shuffle.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::invalidInput;
using Plan = std::vector<std::vector<std::int64_t>>;

/// `size` pairs with lengths 1…25 that vary together, as translations do; token ids tell sentence and place.
EncodedCorpus makeCorpus(std::int64_t size) {
    EncodedCorpus corpus;
    ShuffleRandom random(99, 0, 0);
    for (std::int64_t i = 0; i < size; ++i) {
        const auto length = 1 + random.below(20);
        for (std::uint64_t k = 0; k < length; ++k) corpus.source.push_back(static_cast<std::int32_t>(4 + i % 50));
        for (std::uint64_t k = 0; k < length + random.below(5); ++k) corpus.target.push_back(static_cast<std::int32_t>(60 + k));
        corpus.sourceBegin.push_back(static_cast<std::int64_t>(corpus.source.size()));
        corpus.targetBegin.push_back(static_cast<std::int64_t>(corpus.target.size()));
    }
    return corpus;
}

std::int64_t longer(const EncodedCorpus& corpus, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return 1 +
           std::max(corpus.sourceBegin[at + 1] - corpus.sourceBegin[at], corpus.targetBegin[at + 1] - corpus.targetBegin[at]);
}

std::vector<std::int64_t> sorted(const Plan& plan) {
    std::vector<std::int64_t> all;
    for (const auto& batch : plan) all.insert(all.end(), batch.begin(), batch.end());
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::int64_t> upTo(std::int64_t size) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

// Random123's known answer for philox4x32-10 with counter and key 0: 6627e8d5 e169c58d …
TEST(Shuffle, IsPhilox4x32With10Rounds) { EXPECT_EQ(ShuffleRandom(0, 0, 0).below(~std::uint64_t{0}), 0xE169C58D6627E8D5); }

TEST(Shuffle, PermutesAndDependsOnEveryPartOfItsKey) {
    const auto order = [](std::uint64_t seed, std::uint64_t epoch, std::uint32_t purpose) {
        std::vector<std::int64_t> list = upTo(100);
        shuffle(list, ShuffleRandom(seed, epoch, purpose));
        return list;
    };
    auto list = order(1, 2, 3);
    EXPECT_EQ(list, order(1, 2, 3));
    EXPECT_NE(list, order(2, 2, 3));
    EXPECT_NE(list, order(std::uint64_t{1} << 32 | 1, 2, 3));
    EXPECT_NE(list, order(1, 3, 3));
    EXPECT_NE(list, order(1, std::uint64_t{1} << 40 | 2, 3)) << "masks keep their epoch up there";
    EXPECT_NE(list, order(1, 2, 4));
    std::sort(list.begin(), list.end());
    EXPECT_EQ(list, upTo(100));
}

TEST(PlanEpoch, EverySentenceOnceAndWithinTheBudget) {
    const EncodedCorpus corpus = makeCorpus(40'000);  // more than one pool
    for (const std::int64_t tokens : {32, 100, 1000, 4096}) {
        BatchOptions options;
        options.tokens = tokens;
        const Plan plan = planEpoch(corpus, options, 3);
        EXPECT_EQ(sorted(plan), upTo(corpus.size()));
        for (const auto& indices : plan) {
            const Batch batch = makePairBatch(corpus, indices);
            EXPECT_LE(batch.rows * std::max(batch.sourceWidth, batch.targetWidth), tokens);
        }
    }
}

TEST(PlanEpoch, SentencesPerBatch) {
    const EncodedCorpus corpus = makeCorpus(1'003);
    BatchOptions options;
    options.sentences = 10;
    const Plan plan = planEpoch(corpus, options, 0);
    EXPECT_EQ(plan.size(), 101U);
    EXPECT_EQ(std::count_if(plan.begin(), plan.end(), [](const auto& batch) { return batch.size() == 10; }), 100);
}

TEST(PlanEpoch, IsAPureFunctionOfSeedAndEpoch) {
    const EncodedCorpus corpus = makeCorpus(2'000);
    BatchOptions options;
    options.tokens = 500;
    const Plan plan = planEpoch(corpus, options, 5);
    EXPECT_EQ(planEpoch(corpus, options, 5), plan);
    EXPECT_NE(planEpoch(corpus, options, 6), plan);
    options.seed = 2;
    EXPECT_NE(planEpoch(corpus, options, 5), plan);
}

// What is together in a batch changes from epoch to epoch, not only the order of batches.
TEST(PlanEpoch, NeighboursChange) {
    const EncodedCorpus corpus = makeCorpus(2'000);
    BatchOptions options;
    options.tokens = 500;
    const auto sets = [&](std::int64_t epoch) {
        Plan plan = planEpoch(corpus, options, epoch);
        for (auto& batch : plan) std::sort(batch.begin(), batch.end());
        std::sort(plan.begin(), plan.end());
        return plan;
    };
    const Plan a = sets(0), b = sets(1);
    Plan common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    EXPECT_LT(common.size() * 10, a.size());
}

TEST(PlanEpoch, OrderOfBatchesHasNoLengthTrend) {
    const EncodedCorpus corpus = makeCorpus(20'000);
    const Plan plan = planEpoch(corpus, {}, 0);
    double first = 0, second = 0;
    for (std::size_t i = 0; i < plan.size() / 2 * 2; ++i)
        (i < plan.size() / 2 ? first : second) += static_cast<double>(longer(corpus, plan[i].front()));
    EXPECT_NEAR(first / second, 1, 0.35);
}

TEST(PlanEpoch, LittlePadding) {
    const EncodedCorpus corpus = makeCorpus(29'000);
    std::int64_t real = 0, padded = 0;
    for (const auto& indices : planEpoch(corpus, {}, 0)) {
        const Batch batch = makePairBatch(corpus, indices);
        real += batch.sourceTokens + batch.labelCount;
        padded += batch.rows * (batch.sourceWidth + batch.targetWidth);
    }
    EXPECT_GT(static_cast<double>(real), 0.85 * static_cast<double>(padded));
}

TEST(PlanEpoch, LongPairsAreLeftOutWhenAsked) {
    const EncodedCorpus corpus = makeCorpus(500);
    BatchOptions options;
    options.maxTokens = 10;
    const auto kept = sorted(planEpoch(corpus, options, 0));
    EXPECT_LT(kept.size(), 500U);
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < corpus.size(); ++i) expected += longer(corpus, i) <= 10 ? 1 : 0;
    EXPECT_EQ(static_cast<std::int64_t>(kept.size()), expected);
    for (const std::int64_t i : kept) EXPECT_LE(longer(corpus, i), 10);
    options.maxTokens = 1;
    EXPECT_THAT(invalidInput([&] { planEpoch(corpus, options, 0); }), HasSubstr("none of 500 pairs"));
}

TEST(PlanEpoch, EvaluationGoesByLengthAndKeepsEverything) {
    const EncodedCorpus corpus = makeCorpus(500);
    BatchOptions options;
    options.shuffle = false;
    options.tokens = 20;  // less than the longest pair
    const Plan plan = planEpoch(corpus, options, 0);
    EXPECT_EQ(sorted(plan), upTo(500));
    EXPECT_EQ(planEpoch(corpus, options, 7), plan);
    std::int64_t before = 0;
    for (const auto& batch : plan)
        for (const std::int64_t i : batch) {
            EXPECT_GE(longer(corpus, i), before);
            before = longer(corpus, i);
            EXPECT_TRUE(batch.size() == 1 || longer(corpus, i) * static_cast<std::int64_t>(batch.size()) <= 20);
        }
}

TEST(PlanEpoch, RefusesBatchesWithoutSize) {
    BatchOptions options;
    options.tokens = 0;
    EXPECT_THAT(invalidInput([&] { planEpoch(makeCorpus(3), options, 0); }), HasSubstr("train.batch"));
}

TEST(MakeBatch, FramesAndPads) {
    EncodedCorpus corpus;
    corpus.source = {10, 11, 12, 13};
    corpus.sourceBegin = {0, 3, 4, 4};
    corpus.target = {20, 21, 22};
    corpus.targetBegin = {0, 1, 3, 3};
    const Batch batch = makePairBatch(corpus, {1, 0, 2});
    EXPECT_EQ(batch.rows, 3);
    EXPECT_EQ(batch.sourceWidth, 4);
    EXPECT_EQ(batch.targetWidth, 3);
    EXPECT_THAT(batch.source, ElementsAre(13, 3, 1, 1, 10, 11, 12, 3, 3, 1, 1, 1));
    EXPECT_THAT(batch.targetIn, ElementsAre(2, 21, 22, 2, 20, 1, 2, 1, 1));
    EXPECT_THAT(batch.positions, ElementsAre(0, 1, 2, 3, 4, 6));
    EXPECT_THAT(batch.labels, ElementsAre(21, 22, 3, 20, 3, 3));
    EXPECT_EQ(batch.sourceTokens, 7);
    EXPECT_EQ(batch.labelCount, 6);
    EXPECT_THAT(batch.indices, ElementsAre(1, 0, 2));
}

Batch makePairs(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) {
    return makePairBatch(corpus, indices);
}

TEST(Prefetcher, DeliversWhatDirectMakingGivesThroughTheEpochs) {
    const EncodedCorpus corpus = makeCorpus(300);
    BatchOptions options;
    options.tokens = 200;
    Prefetcher prefetcher(corpus, options, makePairs, {2, 5});
    std::int64_t index = 5;
    for (std::int64_t epoch = 2; epoch < 5; ++epoch, index = 0) {
        const Plan plan = planEpoch(corpus, options, epoch);
        for (; index < static_cast<std::int64_t>(plan.size()); ++index) {
            const Prefetcher::Item item = prefetcher.next();
            const Batch direct = makePairBatch(corpus, plan[static_cast<std::size_t>(index)]);
            EXPECT_EQ(item.epoch, epoch);
            EXPECT_EQ(item.index, index);
            EXPECT_EQ(item.batchesInEpoch, static_cast<std::int64_t>(plan.size()));
            EXPECT_EQ(item.batch.indices, direct.indices);
            EXPECT_EQ(item.batch.source, direct.source);
            EXPECT_EQ(item.batch.targetIn, direct.targetIn);
            EXPECT_EQ(item.batch.labels, direct.labels);
        }
    }
}

TEST(Prefetcher, ResumesBehindTheLastBatchOfAnEpoch) {
    const EncodedCorpus corpus = makeCorpus(50);
    const auto count = static_cast<std::int64_t>(planEpoch(corpus, {}, 1).size());
    EXPECT_EQ(Prefetcher(corpus, {}, makePairs, {1, count}).next().epoch, 2);
}

TEST(Prefetcher, RethrowsWhatTheThreadThrew) {
    const EncodedCorpus corpus = makeCorpus(50);
    BatchOptions options;
    options.maxTokens = 1;
    Prefetcher prefetcher(corpus, options, makePairs, {});
    EXPECT_THAT(invalidInput([&] { prefetcher.next(); }), HasSubstr("none of 50 pairs"));
    EXPECT_THAT(invalidInput([&] { prefetcher.next(); }), HasSubstr("none of 50 pairs")) << "and again";
    Prefetcher beyond(corpus, {}, makePairs, {0, 1'000});
    EXPECT_THAT(invalidInput([&] { beyond.next(); }), HasSubstr("batch 1000 of an epoch of"));
}

TEST(Prefetcher, CanBeDestroyedAtAnyMoment) {
    const EncodedCorpus corpus = makeCorpus(500);
    BatchOptions options;
    options.tokens = 64;
    for (int taken = 0; taken < 40; ++taken) {
        Prefetcher prefetcher(corpus, options, makePairs, {});
        for (int i = 0; i < taken % 10; ++i) prefetcher.next();
    }
}

}  // namespace
}  // namespace heddle
