// SPDX-License-Identifier: Apache-2.0
// Metrics against numbers that other programs computed: committed ones, or those of tests/oracle/metrics_oracle.py
// (HEDDLE_METRIC_CASES).
#include "engine/base/json.h"
#include "engine/metrics/chrf.h"
#include "engine/metrics/classification.h"
#include "engine/metrics/correlation.h"
#include "engine/metrics/spans.h"
#include "engine/metrics/squad.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>
#include <cstdlib>
#include <fstream>

namespace heddle {
namespace {

using Strings = std::vector<std::string>;
using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;

constexpr double kTolerance = 1e-9;

const Json& cases(const char* kind) {
    static const Json document = [] {
        const char* given = std::getenv("HEDDLE_METRIC_CASES");
        std::ifstream file(given != nullptr ? given : HEDDLE_SOURCE_DIR "/tests/unit/engine/metrics/cases/metric_cases.json");
        return Json::parse(file);
    }();
    EXPECT_FALSE(document.at(kind).empty());
    return document.at(kind);
}

TEST(MetricOracle, ChrfIsSacrebleus) {
    for (const Json& c : cases("chrf")) {
        const Json& o = c.at("options");
        const ChrfScore score = corpusChrf(c.at("hypotheses").get<Strings>(), c.at("references").get<Strings>(),
                                           {o.at("char_order"), o.at("word_order"), o.at("lowercase"), o.at("whitespace")});
        EXPECT_NEAR(score.value.value, c.at("chrf").get<double>(), kTolerance) << c;
        EXPECT_EQ(score.value.signature, c.at("signature").get<std::string>() + "|version:heddle-" HEDDLE_VERSION);
    }
}

TEST(MetricOracle, ClassesAreScikitLearns) {
    for (const Json& c : cases("classes")) {
        SCOPED_TRACE(c.dump());
        const std::int64_t classes = c.at("classes");
        const ConfusionMatrix matrix(classes, c.at("truth").get<Integers>(), c.at("predicted").get<Integers>());
        const auto values = classificationValues(matrix, {});
        for (const auto& [index, name] :
             {std::pair<std::size_t, const char*>{0, "accuracy"}, {2, "macro_f1"}, {3, "micro_f1"}, {4, "matthews"}}) {
            EXPECT_EQ(values[index].name, name);
            EXPECT_NEAR(values[index].value, c.at(name).get<double>(), kTolerance) << name;
        }
        for (std::int64_t k = 0; k < classes; ++k) {
            const auto i = static_cast<std::size_t>(k);
            const ClassScore score = classScore(matrix, k);
            EXPECT_NEAR(score.precision, c.at("precision")[i].get<double>(), kTolerance);
            EXPECT_NEAR(score.recall, c.at("recall")[i].get<double>(), kTolerance);
            EXPECT_NEAR(score.f1, c.at("f1")[i].get<double>(), kTolerance);
            EXPECT_EQ(score.truth, c.at("support")[i]);
            for (std::int64_t p = 0; p < classes; ++p)
                EXPECT_EQ(matrix.at(k, p), c.at("confusion")[i][static_cast<std::size_t>(p)]);
        }
    }
}

TEST(MetricOracle, CorrelationsAreScipys) {
    const auto compare = [](const MetricValue& ours, const Json& theirs) {
        EXPECT_EQ(std::isnan(ours.value), theirs.is_null()) << ours.name;
        EXPECT_EQ(ours.warning.empty(), theirs.is_number()) << ours.name;
        if (theirs.is_null()) return;
        EXPECT_NEAR(ours.value, theirs.get<double>(), kTolerance) << ours.name;
    };
    for (const Json& c : cases("correlation")) {
        SCOPED_TRACE(c.dump());
        const auto a = c.at("a").get<Numbers>(), b = c.at("b").get<Numbers>();
        compare(pearson(a, b), c.at("pearson"));
        compare(spearman(a, b), c.at("spearman"));
        EXPECT_EQ(averageRanks(a), c.at("ranks_a").get<Numbers>());
    }
}

TEST(MetricOracle, SpansAreSeqevals) {
    for (const Json& c : cases("spans")) {
        for (const auto& [name, scheme] :
             {std::pair<const char*, SpanScheme>{"conlleval", SpanScheme::Conlleval}, {"strict", SpanScheme::Strict}}) {
            SCOPED_TRACE(c.dump() + name);
            const Json& expected = c.at(name);
            const SpanReport report = scoreSpans(c.at("truth").get<std::vector<TagSequence>>(),
                                                 c.at("predicted").get<std::vector<TagSequence>>(), scheme);
            EXPECT_NEAR(report.micro.precision, expected.at("micro")[0].get<double>(), kTolerance);
            EXPECT_NEAR(report.micro.recall, expected.at("micro")[1].get<double>(), kTolerance);
            EXPECT_NEAR(report.micro.f1, expected.at("micro")[2].get<double>(), kTolerance);
            EXPECT_EQ(std::isnan(report.macroF1), expected.at("macro_f1").is_null());
            if (!std::isnan(report.macroF1)) {
                EXPECT_NEAR(report.macroF1, expected.at("macro_f1").get<double>(), kTolerance);
            }
            ASSERT_EQ(report.perType.size(), expected.at("f1").size());
            for (std::size_t i = 0; i < report.perType.size(); ++i) {
                EXPECT_NEAR(report.perType[i].f1, expected.at("f1")[i].get<double>(), kTolerance);
                EXPECT_EQ(report.perType[i].truth, expected.at("support")[i]);
            }
        }
    }
}

TEST(MetricOracle, AnswersAreSquads) {
    for (const Json& c : cases("answers")) {
        const auto predicted = c.at("predicted").get<Strings>();
        const auto answers = c.at("answers").get<std::vector<Strings>>();
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            SCOPED_TRACE(Json(predicted[i]).dump() + c.at("answers")[i].dump());
            EXPECT_EQ(normaliseAnswer(predicted[i]), c.at("normalised")[i]);
            const AnswerScore score = scoreAnswer(predicted[i], answers[i]);
            EXPECT_EQ(score.exact, c.at("exact")[i] == 1);
            EXPECT_NEAR(score.f1, c.at("f1")[i].get<double>(), kTolerance);
        }
        const Json& totals = c.at("totals");
        // The totals are of the script of 2.0. Where every question has an answer, that of 1.1 counts, which differs in answers
        // of which nothing remains.
        const auto vanishes = [](const std::string& text) { return normaliseAnswer(text).empty(); };
        const bool haveVanished = std::any_of(predicted.begin(), predicted.end(), vanishes) ||
                                  std::any_of(answers.begin(), answers.end(), [&](const Strings& accepted) {
                                      return std::any_of(accepted.begin(), accepted.end(), vanishes);
                                  });
        const bool isOfFirstVersion =
            std::none_of(answers.begin(), answers.end(), [](const Strings& accepted) { return accepted.empty(); });
        if (isOfFirstVersion && haveVanished) continue;
        std::size_t compared = 0;
        for (const MetricValue& value : answerValues(predicted, answers)) {
            const auto slash = value.name.find('/');
            const Json& part = totals.at(slash == std::string::npos ? "all" : value.name.substr(slash + 1));
            const bool isExact = value.name.rfind("exact_match", 0) == 0;
            EXPECT_NEAR(100 * value.value, part.at(isExact ? "exact" : "f1").get<double>(), kTolerance) << value.name;
            EXPECT_EQ(value.n, part.at("total"));
            ++compared;
        }
        EXPECT_EQ(compared, totals.contains("unanswerable") ? 2 * totals.size() : 2U);
    }
}

}  // namespace
}  // namespace heddle
