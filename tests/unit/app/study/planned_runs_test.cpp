// SPDX-License-Identifier: Apache-2.0
#include "app/study/planned_runs.h"

#include "tests/unit/app/study/recorded_runs.h"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

class KnownRunsTest : public testing::Test, protected RecordedRuns {
protected:
    static RunSpec startedFrom(const std::string& checkpoint, const std::string& sha256) {
        RunSpec spec = smallSpec("run", 40);
        spec.train.start.checkpoint = checkpoint;
        spec.train.start.weightsSha256 = sha256;
        return spec;
    }
    std::string found(RunSpec spec) const {
        std::vector<PlannedRun> planned(1);
        planned[0].spec = std::move(spec);
        findRuns(planned, *query(), file_);
        return planned[0].id;
    }
};

TEST_F(KnownRunsTest, ARunIsFoundWhoseFirstCheckpointMovedIfItsWeightsAreTheSame) {
    const std::string weights(64, 'a');
    const std::string id = record(startedFrom("/old/step-40", weights), {});
    EXPECT_EQ(found(startedFrom("/old/step-40", weights)), id);
    EXPECT_EQ(found(startedFrom("/new/step-40", weights)), id);
    EXPECT_EQ(found(startedFrom("/new/step-40", std::string(64, 'b'))), "");
    EXPECT_EQ(found(startedFrom("", "")), "") << "random weights";

    const std::string unknown = record(startedFrom("/old/step-50", ""), {});
    EXPECT_EQ(found(startedFrom("/old/step-50", "")), unknown);
    EXPECT_EQ(found(startedFrom("/new/step-50", "")), "") << "nobody knows which weights are there";
}

TEST_F(KnownRunsTest, ARunOfOtherSettingsFilesOrSeedIsAnother) {
    const RunSpec trained = smallSpec("run", 40);
    const std::string id = record(trained, {});
    RunSpec named = trained;
    named.name = "renamed";
    named.train.device = "cuda";
    EXPECT_EQ(found(named), id);
    EXPECT_EQ(found(seeded(trained, 2)), "");
    RunSpec more = trained;
    more.data.valid = {"/nowhere/a", "/nowhere/b"};
    EXPECT_EQ(found(more), "") << "it names further files";
    RunSpec fewer = trained;
    fewer.data.train.target.clear();
    EXPECT_EQ(found(fewer), "") << "it names fewer";
    RunSpec threads = trained;
    threads.train.threads = 3;
    EXPECT_EQ(found(threads), "");
}

}  // namespace
}  // namespace heddle::app
