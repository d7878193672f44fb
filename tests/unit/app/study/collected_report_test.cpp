// SPDX-License-Identifier: Apache-2.0
// What studyReport() reads of the runs of a database that a fake engine made.
#include "app/study/report.h"

#include "app/study/report_folder.h"
#include "app/study/report_referees.h"
#include "engine/spec/foreign_spec.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class CollectedReport : public testing::Test, protected SessionFixture {
protected:
    CollectedReport() {
        engine_->evaluations = [](const RunSpec& spec) {
            const auto seed = static_cast<double>(spec.seed);
            const double value = spec.name == "gated" ? seed + 0.25 + seed / 64 : seed;
            std::vector<EvaluationDone> all(2);
            all[0].split = "valid";
            all[1].split = "test";
            all[0].values = {{"loss", value, "ce:nats", 100}};
            all[1].values = {{"loss", 10 * value, "ce:nats", 50}};
            return all;
        };
        study_.rows = {{"base", specOf("base", 1).toJson()}, {"gated", specOf("gated", 1).toJson()}};
        study_.baseline = "base";
        study_.seeds = std::vector<std::uint64_t>{1, 2, 3};
    }
    static RunSpec specOf(const std::string& name, std::uint64_t seed) {
        RunSpec spec = smallSpec(name, 20);
        spec.seed = seed;
        spec.train.lr = name == "gated" ? 0.02 : 0.01;
        return spec;
    }
    void train(const std::string& name, std::uint64_t seed) const {
        const auto session = open();
        const std::string run = session->submit(specOf(name, seed));
        ASSERT_TRUE(ends(*session, run));
    }
    /// A row "other" of runs that another program trained, measured as those of the study are.
    void addForeignRow() {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        for (const std::uint64_t seed : {1, 2, 3}) {
            ForeignSpec spec;
            spec.name = "other";
            spec.seed = seed;
            spec.group = "soap";
            storage::RunRecord run;
            run.id = "00000000000" + std::to_string(seed);
            run.name = spec.name;
            run.state = "completed";
            run.spec = spec.toJson().dump();
            run.seed = seed;
            run.group = spec.group;
            run.step = 20;
            store->addRun(run);
            store->add(storage::EvaluationRecord{run.id, 1, 20, 1, "valid", "loss", "ce:nats", static_cast<double>(seed) - 0.5,
                                                 100, 0});
        }
        study_.rows.push_back({"other", {}});
        study_.existing["other"] = {ExistingRuns::By::Group, {"soap"}};
        study_.test = SeedTest::Welch;
    }
    static FairnessCheck checkOf(const StudyReport& report, const std::string& about) {
        const auto found = std::find_if(report.checks.begin(), report.checks.end(),
                                        [&](const FairnessCheck& one) { return one.about == about; });
        return found == report.checks.end() ? FairnessCheck{about, FairnessCheck::State::Ok, "no such check"} : *found;
    }
    StudyReport report() const {
        StudyRuns runs(study_, file_, "");
        const auto query = this->query();
        runs.refresh(*query, file_);
        return studyReport(runs, runs.toldVerdict(*query), *query);
    }
    Study study_;
};

TEST_F(CollectedReport, HasEveryRunWithItsValuePlaceAndCurves) {
    for (const char* row : {"base", "gated"})
        for (const std::uint64_t seed : {1, 2, 3}) train(row, seed);
    const StudyReport report = this->report();
    ASSERT_THAT(report.runs, SizeIs(6));
    EXPECT_THAT(report.runs, Each(Field(&ReportedRun::state, "completed")));
    EXPECT_THAT(report.runs, Each(Field(&ReportedRun::steps, 20)));
    EXPECT_THAT(report.runs, Each(Field(&ReportedRun::attempts, SizeIs(1))));
    EXPECT_EQ(report.valuesOf("gated"), (SeedValues{{1, 1.265625}, {2, 2.28125}, {3, 3.296875}}));
    EXPECT_EQ(report.other.split, "test");
    EXPECT_EQ(report.other.values.at("base"), (SeedValues{{1, 10}, {2, 20}, {3, 30}}));
    EXPECT_EQ(report.measured.n, 100);
    ASSERT_THAT(report.curves, SizeIs(2));
    ASSERT_THAT(report.curves[0].points, SizeIs(1));
    EXPECT_EQ(report.curves[0].points[0].mean, 2);
    EXPECT_EQ(report.curves[0].points[0].low, 1);
    EXPECT_EQ(report.curves[0].points[0].high, 3);
    ASSERT_THAT(report.training, SizeIs(2));
    EXPECT_EQ(report.training[0].runs, 3U);
    ASSERT_TRUE(report.floor);
    EXPECT_NEAR(report.floor->deviation, 1.0078428, 1e-6) << "pooled of 1 and 1.015625";
    EXPECT_EQ(report.verdict.rows.at(0).verdict, Verdict::Worse);
}

TEST_F(CollectedReport, SaysHowTheBaselineWasMeasured) {
    for (const char* row : {"base", "gated"}) train(row, 1);
    const std::string selected = refereeAnswers(report()).at(1).answers.at(3).answer;
    EXPECT_THAT(selected, HasSubstr(" Measured on n = 100, signature ce:nats."));
    engine_->evaluations = [](const RunSpec&) {
        return std::vector<EvaluationDone>{{20, "valid", {{"loss", 2, "other", 70}}, 0}};
    };
    train("gated", 2);
    EXPECT_EQ(report().measured.n, 100) << "a variant's run is no measure";
}

TEST_F(CollectedReport, SetsOnlyValuesOfOneModelBesideEachOther) {
    study_.metric.rule = {ValueRule::Kind::Averaged, 2};
    engine_->evaluations = [](const RunSpec& spec) {
        const auto seed = static_cast<double>(spec.seed);
        std::vector<EvaluationDone> all;
        for (const auto& [split, value] : {std::pair("valid", 1.0), std::pair("test", 2.0), std::pair("valid-average-2", 3.0),
                                           std::pair("test-average-2", 4.0)})
            all.push_back({20, split, {{"loss", value + seed, "ce:nats", 100}}, 0});
        return all;
    };
    for (const char* row : {"base", "gated"}) train(row, 1);
    const StudyReport report = this->report();
    EXPECT_EQ(report.valuesOf("base"), (SeedValues{{1, 4}}));
    EXPECT_EQ(report.other.split, "test");
    EXPECT_EQ(report.other.values.at("base"), (SeedValues{{1, 5}})) << "of the averaged model, as the value is";
}

/// A moving average is a setting of training, as another learning rate is.
TEST_F(CollectedReport, ARowWithAMovingAverageCounts) {
    engine_->evaluations = [](const RunSpec& spec) {
        const std::string signature = spec.name == "gated" ? "ce:nats|ema:0.999" : "ce:nats";
        return std::vector<EvaluationDone>{{20, "valid", {{"loss", double(spec.seed), signature, 100}}, 0}};
    };
    for (const char* row : {"base", "gated"}) train(row, 1);
    const StudyReport report = this->report();
    EXPECT_EQ(report.valuesOf("gated"), (SeedValues{{1, 1}}));
    EXPECT_TRUE(report.verdict.rows.at(0).leftOut.empty());
}

TEST_F(CollectedReport, OfForeignRunsSaysThatTheirSettingsAreNotKnown) {
    for (const std::uint64_t seed : {1, 2, 3}) train("base", seed);
    addForeignRow();
    study_.rows.erase(study_.rows.begin() + 1);
    const StudyReport report = this->report();
    ASSERT_THAT(report.runs, SizeIs(6));
    EXPECT_TRUE(report.runs.front().hasSpec);
    EXPECT_FALSE(report.runs.back().hasSpec);
    ASSERT_EQ(report.valuesOf("other"), (SeedValues{{1, 0.5}, {2, 1.5}, {3, 2.5}}));
    for (const char* about : {"budget", "settings", "interventions", "FLOPs", "data"})
        EXPECT_EQ(checkOf(report, about).state, FairnessCheck::State::NotKnown)
            << about << ": " << checkOf(report, about).sentence;
    EXPECT_EQ(checkOf(report, "settings").sentence, "Not every run recorded its settings.");
    EXPECT_THAT(checkOf(report, "budget").sentence, HasSubstr("other: not known"));
    EXPECT_THAT(checkOf(report, "tuning").sentence, AllOf(HasSubstr("base: 0.01"), HasSubstr("other: not known")));
    std::string answers;
    for (const RefereeList& list : refereeAnswers(report))
        for (const RefereeAnswer& one : list.answers) answers += one.answer + "\n";
    EXPECT_THAT(answers, HasSubstr("Learning rates: base 0.01. All"));
    for (const auto& [path, text] : reportFiles(report)) EXPECT_THAT(path, Not(HasSubstr("specs/other")));
}

TEST_F(CollectedReport, WarnsOfKnownDifferencesAlsoBesideForeignRuns) {
    for (const char* row : {"base", "gated"}) train(row, 1);
    addForeignRow();
    const FairnessCheck settings = checkOf(report(), "settings");
    EXPECT_EQ(settings.state, FairnessCheck::State::Warning);
    EXPECT_THAT(settings.sentence, AllOf(HasSubstr("train.lr"), HasSubstr("Not every run recorded its settings.")));
}

TEST_F(CollectedReport, OfAStudyThatHasNotEndedSaysSo) {
    train("base", 1);
    const StudyReport report = this->report();
    ASSERT_THAT(report.runs, SizeIs(6));
    EXPECT_EQ(report.runs[1].state, "new");
    EXPECT_FALSE(report.runs[1].hasBegun());
    EXPECT_FALSE(report.floor);
    EXPECT_TRUE(std::any_of(report.notDone.begin(), report.notDone.end(),
                            [](const std::string& one) { return one.find("has not ended") != std::string::npos; }));
}

}  // namespace
}  // namespace heddle::app
