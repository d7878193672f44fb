// SPDX-License-Identifier: Apache-2.0
// What is drawn has the distribution that it should have, and comes again with its seed.
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/decode/decode_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace heddle {
namespace {

using namespace decode_support;

constexpr std::int64_t kDraws = 5000;

DecodeOptions sampling(std::int64_t samples = 1) {
    DecodeOptions o = options();
    o.search.method = SearchOptions::Method::Sample;
    o.search.nBest = samples;
    o.batchTokens = 1 << 20;
    return o;
}

/// How often each token is the first one after a prompt; <eos> too.
std::vector<double> frequencies(const Model& model, DecodeOptions o) {
    o.search.nBest = kDraws;
    o.search.maxTokens = 1;
    std::vector<double> share(13, 0);
    const auto decoded = decodeContinuations(model, {{5, 6}}, o);
    EXPECT_EQ(decoded->front().size(), static_cast<std::size_t>(kDraws));
    for (const Decoded& one : decoded->front())
        share[static_cast<std::size_t>(one.ended ? kEos : one.tokens.front())] += 1.0 / static_cast<double>(kDraws);
    return share;
}

void expectNear(const std::vector<double>& share, const std::vector<double>& p) {
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double deviation = std::sqrt(p[i] * (1 - p[i]) / static_cast<double>(kDraws));
        EXPECT_NEAR(share[i], p[i], 5 * deviation + 1e-9) << "token " << i;  // 0 and 1 where p is
    }
}

/// softmax(log P / T) without <pad> and <sos>, of the tokens in `among`; empty: of all.
std::vector<double> expected(const std::vector<double>& logs, double temperature, const std::set<std::size_t>& among = {}) {
    std::vector<double> p(logs.size(), 0);
    double sum = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const bool isOut = i == kPad || i == kSos || (!among.empty() && !among.contains(i));
        if (!isOut) sum += p[i] = std::exp(logs[i] / temperature);
    }
    for (double& one : p) one /= sum;
    return p;
}

class Sampling : public testing::Test {
protected:
    std::unique_ptr<Model> model_ = sharpModel({{"topology", "decoder"}});
    std::vector<double> logs_ = [this] {
        const at::Tensor log_V = logProbabilities(*model_, {kSos, 5, 6}, {})[-1].contiguous();
        return std::vector<double>(log_V.const_data_ptr<double>(), log_V.const_data_ptr<double>() + log_V.numel());
    }();
    /// The k likeliest tokens, without <pad> and <sos>.
    std::vector<std::size_t> likeliest(std::size_t k) const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < logs_.size(); ++i)
            if (i != kPad && i != kSos) order.push_back(i);
        std::sort(order.begin(), order.end(), [this](auto a, auto b) { return logs_[a] > logs_[b]; });
        order.resize(k);
        return order;
    }
};

TEST_F(Sampling, DrawsFromTheModelsDistribution) {
    expectNear(frequencies(*model_, sampling()), expected(logs_, 1));
    for (const double temperature : {0.5, 2.0}) {
        DecodeOptions o = sampling();
        o.search.temperature = temperature;
        expectNear(frequencies(*model_, o), expected(logs_, temperature));
    }
}

TEST_F(Sampling, TopKDrawsAmongTheLikeliest) {
    DecodeOptions o = sampling();
    o.search.topK = 4;
    o.search.temperature = 1.5;
    const auto four = likeliest(4);
    expectNear(frequencies(*model_, o), expected(logs_, 1.5, {four.begin(), four.end()}));
}

TEST_F(Sampling, TopPDrawsAmongTheFewestThatHaveIt) {
    const auto all = expected(logs_, 1);
    for (const double wanted : {0.3, 0.6, 0.95}) {
        std::set<std::size_t> among;
        double mass = 0;
        for (const std::size_t token : likeliest(11)) {
            if (mass >= wanted) break;
            among.insert(token);
            mass += all[token];
        }
        ASSERT_LT(among.size(), 11U);
        DecodeOptions o = sampling();
        o.search.topP = wanted;
        expectNear(frequencies(*model_, o), expected(logs_, 1, among));
    }
    DecodeOptions greedy = sampling();
    greedy.search.topP = 1e-9;
    EXPECT_NEAR(frequencies(*model_, greedy)[likeliest(1).front()], 1, 1e-9) << "the likeliest alone";
}

TEST_F(Sampling, TheSeedDecides) {
    const std::vector<Sentence> prompts{{5}, {6, 7}, {}, {8, 9, 10}};
    DecodeOptions o = sampling(4);
    const auto first = decodeContinuations(*model_, prompts, o);
    expectEqual(*decodeContinuations(*model_, prompts, o), *first);
    o.search.seed = 2;
    EXPECT_NE(tokensOf(*decodeContinuations(*model_, prompts, o)), tokensOf(*first));
    o.search.seed = 1;
    o.search.firstLine = 100;
    EXPECT_NE(tokensOf(*decodeContinuations(*model_, prompts, o)), tokensOf(*first)) << "another line draws otherwise";
    std::set<Sentence> texts;
    for (const Decoded& one : (*first)[0]) texts.insert(one.tokens);
    EXPECT_GT(texts.size(), 1U) << "samples of one line differ";
}

TEST_F(Sampling, ScoresAreTheModelsOwn) {
    DecodeOptions o = sampling(6);
    o.search.temperature = 3;
    o.search.topK = 5;
    const NBest drawn = decodeContinuations(*model_, {{5, 6}}, o)->front();
    ASSERT_EQ(drawn.size(), 6U);
    for (const Decoded& one : drawn) {
        Sentence read{kSos, 5, 6};
        read.insert(read.end(), one.tokens.begin(), one.tokens.end());
        const at::Tensor log_TV =
            logProbabilities(*model_, {read.begin(), read.begin() + std::min<std::ptrdiff_t>(16, std::ssize(read))}, {});
        double sum = 0;
        for (std::size_t i = 0; i < one.tokens.size(); ++i)
            sum += log_TV[static_cast<std::int64_t>(i) + 2][one.tokens[i]].item<double>();
        if (one.ended) sum += log_TV[-1][kEos].item<double>();
        EXPECT_NEAR(one.logProbability, sum, 1e-4);
    }
}

}  // namespace
}  // namespace heddle
