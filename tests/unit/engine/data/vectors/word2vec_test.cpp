// SPDX-License-Identifier: Apache-2.0
#include "engine/data/vectors/word2vec.h"

#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

using ::testing::HasSubstr;

/// Two topics that share no word: the words of one stand together, those of the other too.
std::vector<std::string> topics() {
    const std::vector<std::string> sea{"ship", "sail", "wave", "harbour", "tide"},
        farm{"cow", "field", "barn", "plough", "hay"};
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < 400; ++i) {
        const auto& topic = i % 2 == 0 ? sea : farm;
        std::string line;
        for (std::size_t k = 0; k < 6; ++k) line += topic[(i * 7 + k * k + i / 5 * k) % topic.size()] + " ";
        lines.push_back(line);
    }
    return lines;
}

Word2VecOptions small(Word2VecOptions::Model model) {
    Word2VecOptions options;
    options.model = model;
    options.dim = 12;
    options.window = 3;
    options.epochs = 10;
    options.minCount = 1;
    options.subsample = 0;
    options.rate = 0.05;
    return options;
}

double cosine(const WordVectors& vectors, const std::string& a, const std::string& b) {
    const auto at = [&](const std::string& word) {
        const auto found = std::find(vectors.words.begin(), vectors.words.end(), word) - vectors.words.begin();
        return vectors.values.data() + found * vectors.dim;
    };
    double ab = 0, aa = 0, bb = 0;
    for (std::int64_t k = 0; k < vectors.dim; ++k) {
        ab += at(a)[k] * at(b)[k];
        aa += at(a)[k] * at(a)[k];
        bb += at(b)[k] * at(b)[k];
    }
    return ab / std::sqrt(aa * bb);
}

TEST(Word2Vec, WordsOfOneTopicComeTogether) {
    for (const auto model : {Word2VecOptions::Model::SkipGram, Word2VecOptions::Model::Cbow}) {
        const WordVectors vectors = trainWord2Vec(topics(), small(model));
        EXPECT_EQ(vectors.words.size(), 10U);
        const double within = (cosine(vectors, "ship", "wave") + cosine(vectors, "cow", "hay")) / 2;
        const double across = (cosine(vectors, "ship", "hay") + cosine(vectors, "cow", "wave")) / 2;
        EXPECT_GT(within, across + 0.5) << static_cast<int>(model);
    }
}

TEST(Word2Vec, TextOptionsAndSeedDecideEveryBit) {
    const auto options = small(Word2VecOptions::Model::SkipGram);
    EXPECT_EQ(trainWord2Vec(topics(), options).values, trainWord2Vec(topics(), options).values);
    auto other = options;
    other.seed = 2;
    EXPECT_NE(trainWord2Vec(topics(), options).values, trainWord2Vec(topics(), other).values);
}

TEST(Word2Vec, GoesOnFromVectorsAndKeepsWhatTheTextLacks) {
    WordVectors start;
    start.dim = 12;
    start.words = {"ship", "comet"};
    start.values.assign(24, 0.5F);
    auto options = small(Word2VecOptions::Model::SkipGram);
    options.start = &start;
    options.rate = 0;
    const WordVectors vectors = trainWord2Vec(topics(), options);
    const auto vectorOf = [&](const std::string& word) {
        const auto at = std::find(vectors.words.begin(), vectors.words.end(), word) - vectors.words.begin();
        return std::vector<float>(vectors.values.begin() + at * 12, vectors.values.begin() + (at + 1) * 12);
    };
    EXPECT_EQ(vectorOf("ship"), std::vector<float>(12, 0.5F));
    EXPECT_EQ(vectorOf("comet"), std::vector<float>(12, 0.5F));
    EXPECT_EQ(vectors.words.size(), 11U);
}

TEST(Word2Vec, SaysWhatIsMissing) {
    const auto problem = [](const std::vector<std::string>& lines, const Word2VecOptions& options) {
        return whyRefused([&] { trainWord2Vec(lines, options); });
    };
    EXPECT_THAT(problem({"one two"}, {}), HasSubstr("only 0 words occur at least 5 times"));
    WordVectors start;
    start.dim = 3;
    Word2VecOptions options;
    options.start = &start;
    EXPECT_THAT(problem(topics(), options), HasSubstr("ask for 3"));
}

}  // namespace
}  // namespace heddle
