// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study_tuning.h"
#include "engine/base/json.h"

#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const std::vector<std::uint64_t> kSeeds{1, 2, 3};

Tuning tuning(const char* text, const std::vector<std::uint64_t>& seeds = kSeeds) {
    return Tuning::parse(Json::parse(text), {}, seeds, "study.json");
}

std::string refusal(const char* text) {
    try {
        tuning(text);
        return "accepted";
    } catch (const Error& error) {
        return error.problem() + " | " + error.where() + " | " + error.next();
    }
}

bool always(const Trial&) { return true; }

/// The loss of a row whose best learning rate is `best`: a parabola in log(lr).
double loss(double lr, double best) { return std::pow(std::log10(lr / best), 2); }

/// Trains trials until none is missing; returns the outcome. `diverges`: above this learning rate.
TuningOutcome trained(const Tuning& tuning, const std::map<std::string, double>& best, double diverges = 1e9) {
    std::vector<std::string> rows;
    for (const auto& [row, lr] : best) rows.push_back(row);
    TrialValues known;
    for (int i = 0; i < 20; ++i) {
        TuningOutcome outcome = tune(tuning, rows, known, always);
        if (outcome.isDone) return outcome;
        for (const RowTuning& row : outcome.rows)
            for (const TrialOutcome& one : row.trials) {
                const double lr = one.trial.values.at("train.lr");
                known[row.row][one.trial] = lr > diverges ? std::nullopt : std::optional(loss(lr, best.at(row.row)));
            }
    }
    ADD_FAILURE() << "the trials do not end";
    return {};
}

std::vector<double> ratesOf(const RowTuning& row) {
    std::vector<double> rates;
    for (const TrialOutcome& one : row.trials) rates.push_back(one.trial.values.at("train.lr"));
    return rates;
}

TEST(StudyTuning, IsWrittenAsItIsRead) {
    for (const char* text :
         {R"({"path":"train.lr","around":0.001})", R"({"path":"train.warmup","values":[100,200,400],"seed":7})",
          R"({"path":"train.lr","values":[0.01,0.001],"metric":{"split":"valid","name":"bleu","value":"best"}})",
          R"({"kind":"random","trials":8,"ranges":{"train.lr":{"from":0.0001,"to":0.01}}})",
          R"({"kind":"halving","trials":9,"rungs":[10,30],"ranges":{"train.lr":{"from":0.0001,"to":0.01},
              "train.label_smoothing":{"from":0.0,"to":0.2,"scale":"linear"}}})"}) {
        const Tuning one = tuning(text);
        EXPECT_EQ(Tuning::parse(one.toJson({}), {}, kSeeds, "again"), one) << text;
    }
}

TEST(StudyTuning, RefusesWhatCannotBeTried) {
    EXPECT_THAT(refusal(R"({"path":"train.lr"})"), HasSubstr("one of \"values\" and \"around\""));
    EXPECT_THAT(refusal(R"({"path":"train.lr","around":0})"), HasSubstr("\"around\" must be above 0 | study.json"));
    EXPECT_THAT(refusal(R"({"path":"train.lr","values":[1]})"), HasSubstr("a list of 2 to 100 numbers"));
    EXPECT_THAT(refusal(R"({"path":"train.lr","values":[1,1]})"), HasSubstr("listed twice"));
    EXPECT_THAT(refusal(R"({"path":"seed","values":[1,2]})"), HasSubstr("\"seed\" cannot be tuned"));
    EXPECT_THAT(refusal(R"({"path":"train.lr","around":0.001,"seed":2})"), HasSubstr("seed 2 is also a seed of the study"));
    EXPECT_THAT(refusal(R"({"path":"train.lr","arround":0.001})"), HasSubstr("unknown key \"arround\""));
    EXPECT_THAT(refusal(R"({"kind":"tpe"})"), HasSubstr("it is one of: grid, random, halving"));
    EXPECT_THAT(refusal(R"({"kind":"random","trials":4,"ranges":{"train.lr":{"from":0.1,"to":0.01}}})"), HasSubstr("is empty"));
    EXPECT_THAT(refusal(R"({"kind":"random","trials":4,"ranges":{"train.lr":{"from":0,"to":0.01}}})"),
                HasSubstr("begin above 0"));
    EXPECT_THAT(refusal(R"({"kind":"random","trials":8,"ranges":{"train.warmup":{"from":1,"to":3}}})"),
                HasSubstr("fewer than 8 different values"));
    EXPECT_THAT(refusal(R"({"kind":"halving","trials":4,"rungs":[30,10],"ranges":{"train.lr":{"from":0.001,"to":0.01}}})"),
                HasSubstr("ascending order"));
    EXPECT_THAT(refusal(R"({"kind":"halving","trials":4,"rungs":[10,30],"ranges":{"train.steps":{"from":1,"to":9}}})"),
                HasSubstr("the rungs already set train.steps"));
    EXPECT_EQ(tuning(R"({"path":"train.lr","around":0.001})", {1000, 1001, 1002}).seed, 1003U) << "none of the study's";
}

TEST(StudyTuning, FiveValuesAreHalfADecadeApart) {
    EXPECT_THAT(valuesAround(0.001), ElementsAre(0.0001, 0.000316, 0.001, 0.00316, 0.01));
    EXPECT_THAT(Trial({{{"train.lr", 0.000316}}, 0}).assignments(), ElementsAre("train.lr=0.000316"));
    EXPECT_THAT(Trial({{{"train.warmup", 400}}, 30}).trained(),
                ElementsAre("train.warmup=400", "train.steps=30", "train.epochs=0"));
    EXPECT_THAT(Trial({{{"train.warmup", 400}}, 30}).assignments(), ElementsAre("train.warmup=400"));
}

TEST(StudyTuning, EachRowGetsTheSameTrialsAndItsOwnBest) {
    const auto outcome = trained(tuning(R"({"path":"train.lr","around":0.001})"), {{"base", 0.001}, {"gated", 0.003}});
    EXPECT_EQ(ratesOf(outcome.rows[0]), ratesOf(outcome.rows[1]));
    EXPECT_THAT(outcome.rows[0].trials, SizeIs(5));
    EXPECT_EQ(outcome.rows[0].chosen->values.at("train.lr"), 0.001);
    EXPECT_EQ(outcome.rows[1].chosen->values.at("train.lr"), 0.00316);
    EXPECT_FALSE(outcome.rows[1].atEdge);
}

TEST(StudyTuning, AnOptimumAtTheEdgeExtendsTheRangeOfAllRows) {
    const auto outcome = trained(tuning(R"({"path":"train.lr","around":0.001})"), {{"base", 0.001}, {"gated", 0.03}});
    EXPECT_THAT(ratesOf(outcome.rows[0]), ElementsAre(0.0001, 0.000316, 0.001, 0.00316, 0.01, 0.0316, 0.1));
    EXPECT_EQ(ratesOf(outcome.rows[0]), ratesOf(outcome.rows[1]));
    EXPECT_EQ(outcome.rows[1].chosen->values.at("train.lr"), 0.0316);
    EXPECT_FALSE(outcome.rows[1].atEdge);
}

TEST(StudyTuning, ExtensionEndsAndSaysThatTheOptimumIsAtTheEdge) {
    const auto outcome = trained(tuning(R"({"path":"train.lr","values":[0.1,0.2]})"), {{"base", 1000}});
    EXPECT_THAT(ratesOf(outcome.rows[0]), ElementsAre(0.1, 0.2, 0.4, 0.8, 1.6));
    EXPECT_TRUE(outcome.rows[0].atEdge);
    const auto refused = tune(tuning(R"({"path":"train.lr","values":[0.1,0.2]})"), {"base"},
                              {{"base", {{Trial{{{"train.lr", 0.1}}, 0}, 2.0}, {Trial{{{"train.lr", 0.2}}, 0}, 1.0}}}},
                              [](const Trial&) { return false; });
    EXPECT_TRUE(refused.isDone) << "no value beyond 0.2 is one that the spec allows";
    EXPECT_TRUE(refused.rows[0].atEdge);
}

TEST(StudyTuning, ATrialThatDivergesIsWorseThanAnyValue) {
    const auto outcome = trained(tuning(R"({"path":"train.lr","around":0.001})"), {{"base", 0.01}}, 0.005);
    EXPECT_EQ(outcome.rows[0].chosen->values.at("train.lr"), 0.00316);
    EXPECT_FALSE(outcome.rows[0].atEdge) << "what lies beyond it diverged";
    const auto all = trained(tuning(R"({"path":"train.lr","around":0.001})"), {{"base", 0.01}}, 1e-9);
    EXPECT_TRUE(all.isDone);
    EXPECT_FALSE(all.rows[0].chosen.has_value());
}

TEST(StudyTuning, DrawsAreTheSameForTheSameSeedAndSpreadInLog) {
    const char* text = R"({"kind":"random","trials":60,"ranges":{"train.lr":{"from":0.0001,"to":0.01}}})";
    const auto draws = drawnTrials(tuning(text));
    EXPECT_EQ(draws, drawnTrials(tuning(text)));
    EXPECT_EQ(std::set(draws.begin(), draws.end()).size(), 60U);
    int below = 0;
    for (const Trial& trial : draws) {
        const double lr = trial.values.at("train.lr");
        EXPECT_GE(lr, 0.0001);
        EXPECT_LE(lr, 0.01);
        below += lr < 0.001;
    }
    EXPECT_NEAR(below, 30, 12) << "half of them in the lower decade: three standard deviations are 11.6";
    Tuning other = tuning(text);
    other.seed = 5;
    EXPECT_NE(draws, drawnTrials(other));
}

TEST(StudyTuning, HalvingTrainsTheBestThirdOfARungFurther) {
    const auto outcome =
        trained(tuning(R"({"kind":"halving","trials":9,"rungs":[10,30,90],"ranges":{"train.lr":{"from":0.0001,"to":0.01}}})"),
                {{"base", 0.001}, {"gated", 0.003}});
    for (const RowTuning& row : outcome.rows) {
        ASSERT_THAT(row.trials, SizeIs(9 + 3 + 1)) << row.row;
        EXPECT_EQ(row.trials[8].trial.steps, 10);
        EXPECT_EQ(row.trials[9].trial.steps, 30);
        EXPECT_EQ(row.trials[12].trial.steps, 90);
        EXPECT_EQ(row.chosen->steps, 0) << "the runs of the row take their own number of steps";
        for (std::size_t i = 0; i < 9; ++i) EXPECT_GE(*row.trials[i].value, *row.trials[12].value);
    }
    EXPECT_NE(outcome.rows[0].chosen, outcome.rows[1].chosen);
}

}  // namespace
}  // namespace heddle
