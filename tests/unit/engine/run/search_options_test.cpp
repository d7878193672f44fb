// SPDX-License-Identifier: Apache-2.0
#include "engine/run/search_options.h"
#include "engine/base/json.h"

#include "engine/base/error.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace heddle {
namespace {

using Method = SearchOptions::Method;

std::string refusedAt(Method method, const std::function<void(SearchOptions&)>& change) {
    SearchOptions o;
    o.method = method;
    change(o);
    try {
        checkSearch(o);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Usage);
        return error.where();
    }
    return "";
}

TEST(SearchOptions, ChecksWhatTheMethodReads) {
    const auto nothing = [](SearchOptions&) {};
    for (const Method method : {Method::Greedy, Method::Beam, Method::Sample}) EXPECT_EQ(refusedAt(method, nothing), "");
    EXPECT_EQ(refusedAt(Method::Greedy, [](auto& o) { o.nBest = 2; }), "n-best");
    EXPECT_EQ(refusedAt(Method::Beam, [](auto& o) { o.nBest = 5; }), "n-best");
    EXPECT_EQ(refusedAt(Method::Beam, [](auto& o) { o.beam = 0; }), "beam");
    EXPECT_EQ(refusedAt(Method::Beam, [](auto& o) { o.lengthPenalty = -0.1; }), "length-penalty");
    EXPECT_EQ(refusedAt(Method::Beam, [](auto& o) { o.lengthPenalty = std::numeric_limits<double>::quiet_NaN(); }),
              "length-penalty");
    EXPECT_EQ(refusedAt(Method::Sample, [](auto& o) { o.nBest = 50; }), "");
    EXPECT_EQ(refusedAt(Method::Sample, [](auto& o) { o.temperature = 0; }), "temperature");
    EXPECT_EQ(refusedAt(Method::Sample, [](auto& o) { o.topK = -1; }), "top-k");
    EXPECT_EQ(refusedAt(Method::Sample, [](auto& o) { o.topP = 0; }), "top-p");
    EXPECT_EQ(refusedAt(Method::Sample, [](auto& o) { o.topP = 1.01; }), "top-p");
    EXPECT_EQ(refusedAt(Method::Greedy, [](auto& o) { o.topP = 0; }), "") << "greedy search draws nothing";
    EXPECT_EQ(refusedAt(Method::Greedy, [](auto& o) { o.maxTokens = -1; }), "max-tokens");
}

TEST(SearchOptions, EvaluationsDecodeAsTheirSpecSays) {
    EvaluateSpec evaluate;
    EXPECT_EQ(searchOf(evaluate).method, Method::Greedy);
    EXPECT_EQ(searchSignature(searchOf(evaluate)), "") << "sacreBLEU's own signature";
    evaluate.beam = 5;
    evaluate.lengthPenalty = 0.6;
    const SearchOptions beam = searchOf(evaluate);
    EXPECT_EQ(beam.method, Method::Beam);
    EXPECT_EQ(beam.beam, 5);
    EXPECT_EQ(beam.lengthPenalty, 0.6);
    EXPECT_EQ(searchSignature(beam), "|beam:5|length_penalty:0.6");
    EXPECT_NO_THROW(checkSearch(beam));
}

/// Wu et al. 2016, eq. 14.
TEST(SearchOptions, LengthPenaltyIsThatOfThePaper) {
    EXPECT_EQ(lengthPenalty(0, 17), 1);
    EXPECT_EQ(lengthPenalty(0.6, 1), 1);
    EXPECT_DOUBLE_EQ(lengthPenalty(1, 7), 2);
    EXPECT_DOUBLE_EQ(lengthPenalty(2, 13), 9);
}

TEST(SearchOptions, TheDocumentSaysWhatCounts) {
    SearchOptions o;
    EXPECT_EQ(searchDocument(o), (Json{{"method", "greedy"}, {"n_best", 1}}));
    o.method = Method::Beam;
    o.maxTokens = 9;
    EXPECT_EQ(searchDocument(o),
              (Json{{"method", "beam"}, {"n_best", 1}, {"max_tokens", 9}, {"beam", 4}, {"length_penalty", 0.0}}));
    o.method = Method::Sample;
    EXPECT_EQ(searchDocument(o).at("seed"), 1);
    EXPECT_FALSE(searchDocument(o).contains("beam"));
}

}  // namespace
}  // namespace heddle
