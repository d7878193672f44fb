// SPDX-License-Identifier: Apache-2.0
// Documents and predictions in SQuAD's form against the numbers of the official scripts: committed ones, or those of
// tests/oracle/squad_oracle.py (HEDDLE_SQUAD_CASES).
#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/submissions.h"
#include "engine/metrics/squad.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace heddle {
namespace {

using ::testing::HasSubstr;

constexpr double kTolerance = 1e-9;

class SquadOracle : public ::testing::Test {
protected:
    static const Json& cases() {
        static const Json document = [] {
            const char* given = std::getenv("HEDDLE_SQUAD_CASES");
            std::ifstream file(given != nullptr ? given
                                                : HEDDLE_SOURCE_DIR "/tests/unit/engine/metrics/cases/squad_cases.json");
            return Json::parse(file);
        }();
        EXPECT_GE(document.at("cases").size(), 2U);
        return document.at("cases");
    }

    /// The questions of a document, as the program reads them.
    std::vector<Example> questionsOf(const Json& document) const {
        return readExamples(folder_.write("squad.json", document.dump()), {"squad"}).examples;
    }

    static std::vector<std::string> answersOf(const Example& question) {
        std::vector<std::string> answers;
        for (const Example::Answer& answer : question.answers) answers.push_back(answer.text);
        return answers;
    }

    /// Compares what is measured on all answers with the totals of a script.
    static void compareTotals(const std::vector<Example>& questions, const std::vector<std::string>& predicted,
                              const Json& totals, const std::string& version) {
        std::vector<std::vector<std::string>> answers;
        for (const Example& question : questions) answers.push_back(answersOf(question));
        std::size_t compared = 0;
        for (const MetricValue& value : answerValues(predicted, answers)) {
            const auto slash = value.name.find('/');
            const std::string part = slash == std::string::npos ? "all" : value.name.substr(slash + 1);
            if (!totals.contains(part)) continue;
            const bool isExact = value.name.rfind("exact_match", 0) == 0;
            EXPECT_NEAR(100 * value.value, totals.at(part).at(isExact ? "exact" : "f1").get<double>(), kTolerance)
                << value.name;
            EXPECT_THAT(value.signature, HasSubstr("squad:v" + version));
            ++compared;
        }
        EXPECT_EQ(compared, 2 * totals.size());
    }

    testing_support::TempFolder folder_;
};

TEST_F(SquadOracle, EveryQuestionScoresAsInTheScriptOfItsVersion) {
    std::size_t different = 0;
    for (const Json& c : cases()) {
        const bool isFirst = c.at("version") == "1.1";
        for (const Example& question : questionsOf(c.at("document"))) {
            const std::string predicted = c.at("predictions").at(question.id);
            SCOPED_TRACE(Json(predicted).dump() + Json(answersOf(question)).dump());
            const AnswerScore score = scoreAnswer(predicted, answersOf(question), isFirst ? SquadRule::V1 : SquadRule::V2);
            EXPECT_EQ(score.exact, c.at("exact").at(question.id) == 1);
            EXPECT_NEAR(score.f1, c.at("f1").at(question.id).get<double>(), kTolerance);
            const AnswerScore other = scoreAnswer(predicted, answersOf(question), isFirst ? SquadRule::V2 : SquadRule::V1);
            different += other.f1 != score.f1 || other.exact != score.exact ? 1 : 0;
        }
    }
    EXPECT_GT(different, 5U) << "the cases tell the two scripts apart";
}

TEST_F(SquadOracle, TotalsAreThoseOfTheScripts) {
    for (const Json& c : cases()) {
        SCOPED_TRACE(c.at("totals").dump());
        const std::vector<Example> questions = questionsOf(c.at("document"));
        SubmissionRequest request{"squad", "", {}};
        std::vector<std::string> predicted;
        for (const Example& question : questions) {
            predicted.push_back(c.at("predictions").at(question.id));
            request.predictions.push_back({question.id, predicted.back(), {}});
        }
        EXPECT_EQ(Json::parse(submissionFile(request).contents), c.at("predictions")) << "the file that the scripts read";
        compareTotals(questions, predicted, c.at("totals"), c.at("version"));
    }
}

// The script of 2.0 takes a question whose chance of "no answer" is above a threshold for unanswered; Heddle leaves it empty.
TEST_F(SquadOracle, AnEmptyAnswerIsOneBelowTheThresholdOfTheScript) {
    std::size_t silenced = 0;
    for (const Json& c : cases()) {
        if (!c.contains("threshold")) continue;
        const auto silent = c.at("threshold").at("silent").get<std::vector<std::string>>();
        const std::vector<Example> questions = questionsOf(c.at("document"));
        std::vector<std::string> predicted;
        for (const Example& question : questions)
            predicted.push_back(contains(silent, question.id) ? std::string()
                                                              : c.at("predictions").at(question.id).get<std::string>());
        compareTotals(questions, predicted, {{"all", c.at("threshold").at("totals")}}, "2.0");
        silenced += silent.size();
    }
    EXPECT_GT(silenced, 10U);
}

}  // namespace
}  // namespace heddle
