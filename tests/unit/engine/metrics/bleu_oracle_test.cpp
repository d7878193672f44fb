// SPDX-License-Identifier: Apache-2.0
// BLEU against numbers that sacreBLEU computed: committed ones, or those of tests/oracle/bleu_oracle.py (HEDDLE_BLEU_CASES).
#include "engine/base/json.h"
#include "engine/base/unicode.h"
#include "engine/metrics/bleu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace heddle {
namespace {

using Strings = std::vector<std::string>;

const Json& oracle() {
    static const Json document = [] {
        const char* given = std::getenv("HEDDLE_BLEU_CASES");
        std::ifstream file(given != nullptr ? given : HEDDLE_SOURCE_DIR "/tests/unit/engine/metrics/cases/bleu_cases.json");
        return Json::parse(file);
    }();
    return document;
}

TEST(BleuOracle, CorpusScoresAreEqualTo1e9) {
    ASSERT_FALSE(oracle().at("cases").empty());
    for (const Json& c : oracle().at("cases")) {
        const Json& o = c.at("options");
        const Json& expected = c.at("expected");
        const BleuScore score = corpusBleu(c.at("hypotheses").get<Strings>(), c.at("references").get<Strings>(),
                                           {o.at("tokenize"), o.at("smooth"), o.at("lowercase")});
        SCOPED_TRACE(c.dump().substr(0, 2000));
        EXPECT_NEAR(score.bleu, expected.at("bleu").get<double>(), 1e-9);
        EXPECT_NEAR(score.brevityPenalty, expected.at("brevity_penalty").get<double>(), 1e-12);
        EXPECT_EQ(score.statistics.matches, (expected.at("matches").get<std::array<std::int64_t, 4>>()));
        EXPECT_EQ(score.statistics.totals, (expected.at("totals").get<std::array<std::int64_t, 4>>()));
        EXPECT_EQ(score.statistics.hypothesisLength, expected.at("hypothesis_length"));
        EXPECT_EQ(score.statistics.referenceLength, expected.at("reference_length"));
        for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(score.precisions[n], expected.at("precisions")[n].get<double>(), 1e-9);
        EXPECT_EQ(score.signature, expected.at("signature").get<std::string>() + "|version:heddle-" HEDDLE_VERSION);
    }
}

TEST(BleuOracle, TokensOf13aAreEqual) {
    ASSERT_FALSE(oracle().at("tokens_13a").empty());
    for (const Json& c : oracle().at("tokens_13a")) EXPECT_EQ(tokenize13a(c.at("line")), c.at("tokens").get<Strings>()) << c;
}

TEST(BleuOracle, LowerCaseIsPythons) {
    ASSERT_FALSE(oracle().at("lower").empty());
    for (const Json& c : oracle().at("lower"))
        EXPECT_EQ(toLower(c.at("text").get<std::string>()), c.at("lower").get<std::string>());
}

}  // namespace
}  // namespace heddle
