// SPDX-License-Identifier: Apache-2.0
// Greedy and beam search, translations and continuations, against what the definitions say without any search.
#include "engine/decode/decoding.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/decode/decode_support.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::buildTiny;
using namespace decode_support;

TEST(Decode, GreedyIsTheLikeliestTokenOfTheWholePrefix) {
    const auto model = sharpModel();
    const auto sources = someSources();
    const auto decoded = decodeTranslations(*model, sources, options());
    ASSERT_TRUE(decoded);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i].empty()) {
            EXPECT_TRUE((*decoded)[i].front().tokens.empty()) << "a source without words has the empty translation";
            continue;
        }
        const Decoded expected = greedyByPrefixes(*model, {kSos}, memoryOf(*model, sources[i]),
                                                  outputLimit(static_cast<std::int64_t>(sources[i].size()), 16));
        const Decoded& found = (*decoded)[i].front();
        EXPECT_EQ(found.tokens, expected.tokens) << i;
        EXPECT_EQ(found.ended, expected.ended) << i;
        EXPECT_NEAR(found.logProbability, expected.logProbability, 1e-4) << i;
        EXPECT_EQ(found.score, found.logProbability);
    }
}

TEST(Decode, ABeamOfOneIsGreedy) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const auto model = sharpModel(Json::object(), seed);
        EXPECT_EQ(tokensOf(*decodeTranslations(*model, someSources(), beam(1))),
                  tokensOf(*decodeTranslations(*model, someSources(), options())));
    }
}

/// Four tokens to choose from, texts of at most four: all 121 can be listed.
TEST(Decode, AWideBeamFindsTheBestTextsThereAre) {
    const auto model = sharpModel({{"dims", {{"vocab_tgt", 6}}}});
    const Sentence source{4, 8, 5};
    const auto all = everyText(*model, memoryOf(*model, source), 4);
    ASSERT_EQ(all.size(), 121U);
    for (const double alpha : {0.0, 0.6, 2.0}) {
        SCOPED_TRACE(alpha);
        NBest expected = all;
        for (Decoded& one : expected)
            one.score =
                one.logProbability / std::pow((5.0 + static_cast<double>(one.tokens.size() + (one.ended ? 1 : 0))) / 6, alpha);
        std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
        DecodeOptions wide = beam(200, 12);
        wide.search.lengthPenalty = alpha;
        wide.search.maxTokens = 4;
        const NBest found = decodeTranslations(*model, {source}, wide)->front();
        ASSERT_EQ(found.size(), 12U);
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].tokens, expected[i].tokens) << i;
            EXPECT_EQ(found[i].ended, expected[i].ended) << i;
            EXPECT_NEAR(found[i].score, expected[i].score, 1e-5) << i;
        }
    }
}

TEST(Decode, NBestTextsAreDifferentAndSorted) {
    DecodeOptions narrow = beam(5, 5);
    narrow.search.lengthPenalty = 0.6;
    const auto sources = someSources();
    const auto decoded = decodeTranslations(*sharpModel(), sources, narrow);
    ASSERT_TRUE(decoded);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const NBest& found = (*decoded)[k];
        EXPECT_EQ(found.size(), sources[k].empty() ? 1U : 5U);
        for (std::size_t i = 1; i < found.size(); ++i) {
            EXPECT_GE(found[i - 1].score, found[i].score);
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_FALSE(found[i].tokens == found[j].tokens && found[i].ended == found[j].ended);
        }
    }
}

TEST(Decode, AWiderBeamFindsNoWorseText) {
    const auto model = sharpModel();
    const auto narrow = decodeTranslations(*model, someSources(), beam(1)),
               wide = decodeTranslations(*model, someSources(), beam(400));
    double gained = 0;
    for (std::size_t i = 0; i < narrow->size(); ++i) {
        const double gain = (*wide)[i].front().score - (*narrow)[i].front().score;
        EXPECT_GT(gain, -1e-6) << i;
        gained += gain;
    }
    EXPECT_GT(gained, 1e-3) << "greedy was the best everywhere: the test says nothing";
}

/// Equal scores everywhere: only the rule for ties decides.
TEST(Decode, TiesGoToTheEarlierTextAndTheSmallerToken) {
    const auto model = buildTiny();
    {
        const at::NoGradGuard noGrad;
        for (const char* path : {"head.weight", "head.bias"}) model->parameters().find(path).zero_();
    }
    DecodeOptions three = beam(3, 3);
    three.search.maxTokens = 2;
    const NBest found = decodeTranslations(*model, {{4, 5}}, three)->front();
    EXPECT_THAT(found[0].tokens, ElementsAre());  // <eos> at once: one token where the others need two
    EXPECT_THAT(found[1].tokens, ElementsAre(kUnk, kUnk));
    EXPECT_THAT(found[2].tokens, ElementsAre(kUnk));
    EXPECT_TRUE(found[2].ended);
    EXPECT_EQ(tokensOf(*decodeTranslations(*model, {{4, 5}}, options())), (std::vector<Sentence>{Sentence(14, kUnk)}));
}

TEST(Decode, TheBatchDoesNotMatter) {
    const auto model = sharpModel();
    const auto sources = someSources();
    DecodeOptions sampling = options();
    sampling.search.method = SearchOptions::Method::Sample;
    sampling.search.nBest = 3;
    for (DecodeOptions each : {options(), beam(4, 2), sampling}) {
        SCOPED_TRACE(methodName(each.search.method));
        const auto together = decodeTranslations(*model, sources, each);
        each.batchTokens = 1;
        expectEqual(*decodeTranslations(*model, sources, each), *together);
        for (std::size_t i = 0; i < sources.size(); ++i) {
            each.search.firstLine = static_cast<std::int64_t>(i);
            expectEqual(*decodeTranslations(*model, {sources[i]}, each), {(*together)[i]});
        }
    }
}

TEST(Decode, PromptsOfDifferentLengthsGoOnTogether) {
    const auto model = sharpModel({{"topology", "decoder"}});
    const std::vector<Sentence> prompts{{}, {7, 8, 9, 10}, {5}, {4, 12, 6, 11, 5, 5, 9}};
    const auto greedy = decodeContinuations(*model, prompts, options());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        Sentence prefix{kSos};
        prefix.insert(prefix.end(), prompts[i].begin(), prompts[i].end());
        const Decoded expected = greedyByPrefixes(*model, prefix, {}, 17 - static_cast<std::int64_t>(prefix.size()));
        EXPECT_EQ((*greedy)[i].front().tokens, expected.tokens) << i;
        EXPECT_NEAR((*greedy)[i].front().logProbability, expected.logProbability, 1e-4) << i;
    }
    DecodeOptions wide = beam(3, 2);
    wide.search.maxTokens = 5;
    const auto together = decodeContinuations(*model, prompts, wide);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        expectEqual(*decodeContinuations(*model, {prompts[i]}, wide), {(*together)[i]});
        EXPECT_LE((*together)[i].front().tokens.size(), 5U);
    }
}

/// A model that must run the whole prefix gives its texts the same way.
TEST(Decode, AModelWithoutACacheDecodesToo) {
    const auto model =
        sharpModel({{"defaults", {{"score", {{"rule", "add"}, {"sites", {"dec_self"}}, {"gate", {{"mask_prev", "raw"}}}}}}}});
    ASSERT_NE(model->stepObstacle(), "");
    const Sentence source{4, 9, 6};
    EXPECT_EQ(bestTranslations(*model, {source}, options())->front(),
              greedyByPrefixes(*model, {kSos}, memoryOf(*model, source), 16).tokens);
    EXPECT_EQ(tokensOf(*decodeTranslations(*model, someSources(), beam(1))),
              *bestTranslations(*model, someSources(), options()));
}

/// Re-reading all tokens, source by source, gives the texts that the cache gives.
TEST(Decode, TextsAreThoseOfTheCacheOneByOneAndWithoutIt) {
    const auto model = sharpModel();
    ASSERT_EQ(model->stepObstacle(), "");
    DecodeOptions alone = options();
    alone.kept = DecodingMemory::Tokens;
    alone.oneByOne = true;
    int polls = 0;
    alone.interrupted = [&polls] {
        ++polls;
        return false;
    };
    const auto expected = bestTranslations(*model, someSources(), options());
    EXPECT_EQ(bestTranslations(*model, someSources(), alone), expected);
    std::size_t steps = 0;
    for (const Sentence& text : *expected) steps += text.size();
    EXPECT_GE(polls, static_cast<int>(steps)) << "no two texts share a step";
}

TEST(Decode, StopsWhereItIsAskedTo) {
    DecodeOptions asked = beam(2);
    int times = 0;
    asked.interrupted = [&] { return ++times > 2; };
    EXPECT_FALSE(decodeTranslations(*sharpModel(), someSources(), asked));
    EXPECT_EQ(times, 3);
}

/// Of batches that are decoded side by side all end with the first that cannot go on.
TEST(Decode, BatchesStopTogether) {
    DecodeOptions each = options();
    each.batchTokens = 1;
    const auto thread = std::this_thread::get_id();
    int times = 0;
    each.interrupted = [&] {
        EXPECT_EQ(std::this_thread::get_id(), thread);
        return ++times > 2;
    };
    std::vector<Sentence> many;
    for (int i = 0; i < 20; ++i) many.push_back({4, 9, 6, 5, 8});
    EXPECT_FALSE(decodeTranslations(*sharpModel(), many, each));
    EXPECT_EQ(times, 3);
    each.interrupted = []() -> bool { throw std::runtime_error("no more"); };
    EXPECT_THROW(decodeTranslations(*sharpModel(), many, each), std::runtime_error);
}

TEST(Decode, RefusesWhatItCannotDo) {
    const auto translator = buildTiny(), language = buildTiny({{"topology", "decoder"}}),
               encoder = buildTiny({{"topology", "encoder"}, {"head", "mlm"}});
    EXPECT_THAT(whyRefused([&] { decodeTranslations(*language, {{4}}, options()); }), HasSubstr("no encoder"));
    EXPECT_THAT(whyRefused([&] { decodeTranslations(*encoder, {{4}}, options()); }), HasSubstr("no decoder"));
    EXPECT_THAT(whyRefused([&] { decodeContinuations(*encoder, {{4}}, options()); }), HasSubstr("no decoder"));
    EXPECT_THAT(whyRefused([&] { decodeContinuations(*translator, {{4}}, options()); }), HasSubstr("cannot continue a text"));
    EXPECT_THAT(whyRefused([&] { decodeContinuations(*language, {{4}, Sentence(16, 5)}, options()); }), HasSubstr("line 2"));
    EXPECT_EQ(decodeContinuations(*language, {Sentence(15, 5)}, options())->front().front().tokens.size(), 1U);
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { decodeTranslations(*translator, {{4}}, beam(2, 3)); }),
                HasSubstr("beam size 2"));
}

}  // namespace
}  // namespace heddle
