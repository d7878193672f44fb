// SPDX-License-Identifier: Apache-2.0
// What studyReport() reads of the runs of a database that a fake engine made.
#include "app/study/report.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::app {
namespace {

using testing::Each;
using testing::Field;
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
    StudyReport report() const {
        StudyRuns runs(study_, file_, "");
        const auto query = this->query();
        runs.refresh(*query, file_);
        return studyReport(runs, *query);
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
