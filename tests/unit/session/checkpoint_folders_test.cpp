// SPDX-License-Identifier: Apache-2.0
#include "app/session/checkpoint_folders.h"

#include "tests/unit/session/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using storage::CheckpointRecord;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CheckpointRecord row(const std::string& kind, std::int64_t step) {
    CheckpointRecord record;
    record.run = "r";
    record.step = step;
    record.kind = kind;
    record.folder = "r/step-" + std::to_string(step);
    return record;
}

TEST(PlanRetention, KeepsTheNewestStepsTheBestAndTheLast) {
    const auto plan = planRetention({row("step", 0), row("step", 10), row("step", 20), row("step", 30), row("best", 10),
                                     row("best", 20), row("last", 25), row("last", 30)},
                                    2);
    EXPECT_THAT(plan.folders, ElementsAre("r/step-0", "r/step-10", "r/step-25"));
    EXPECT_EQ(plan.rows.size(), 4U);  // step 0, step 10, best 10, last 25; best 20 and step 20 share a folder that stays
}

TEST(PlanRetention, AFolderStaysWhileAnyRowNeedsIt) {
    const auto plan = planRetention({row("step", 10), row("best", 10), row("step", 20), row("step", 30)}, 1);
    EXPECT_THAT(plan.folders, ElementsAre("r/step-20"));
    EXPECT_EQ(plan.rows.size(), 2U);
}

TEST(PlanRetention, AtLeastOneOfKindStepIsKept) { EXPECT_THAT(planRetention({row("step", 10)}, 0).rows, IsEmpty()); }

TEST(PlanRetention, ACheckpointWrittenAgainByAResumedAttemptIsNotRemoved) {
    auto again = row("step", 10);
    again.attempt = 2;
    EXPECT_THAT(planRetention({row("step", 10), again}, 1).rows, IsEmpty());
}

CheckpointRecord written(const TemporaryFolder& folder, std::int64_t step) {
    const auto event = writeFakeCheckpoint(folder / "run", step, "step");
    CheckpointRecord record = row("step", step);
    record.folder = event.folder;
    record.weightsSha256 = event.weightsSha256;
    record.optimizerSha256 = event.optimizerSha256;
    record.stateSha256 = event.stateSha256;
    return record;
}

TEST(NewestVerified, PassesOverDamagedAndMissingOnes) {
    const TemporaryFolder folder;
    const std::vector rows{written(folder, 10), written(folder, 20), written(folder, 30)};
    std::ofstream(folder / "run/step-30/weights.safetensors") << "x";
    fs::remove(folder / "run/step-20/state.json");
    const auto choice = newestVerified(folder.path(), rows);
    ASSERT_TRUE(choice.checkpoint.has_value());
    EXPECT_EQ(choice.checkpoint->step, 10);
    EXPECT_THAT(choice.skipped,
                ElementsAre(HasSubstr("step-30/weights.safetensors is damaged"), HasSubstr("step-20/state.json is missing")));
}

TEST(NewestVerified, NothingUsable) {
    const TemporaryFolder folder;
    EXPECT_FALSE(newestVerified(folder.path(), {row("step", 10)}).checkpoint.has_value());
    EXPECT_FALSE(newestVerified(folder.path(), {}).checkpoint.has_value());
}

TEST(SweepRunFolder, RemovesLeftoversAndKeepsWhatRowsKnow) {
    const TemporaryFolder folder;
    const auto known = written(folder, 10);
    written(folder, 20);  // its row was never committed
    fs::create_directories(folder / "run/.tmp-abc");
    fs::create_directories(folder / "run/.trash-step-5");
    fs::create_directories(folder / "run/tokenizer");
    sweepRunFolder(folder.path(), "run", {known});
    EXPECT_TRUE(fs::exists(folder / "run/step-10"));
    EXPECT_TRUE(fs::exists(folder / "run/tokenizer"));
    EXPECT_FALSE(fs::exists(folder / "run/step-20"));
    EXPECT_FALSE(fs::exists(folder / "run/.tmp-abc"));
    EXPECT_FALSE(fs::exists(folder / "run/.trash-step-5"));
}

TEST(DiscardFolder, IsCompleteAndHarmlessWhenThereIsNone) {
    const TemporaryFolder folder;
    written(folder, 10);
    discardFolder(folder / "run/step-10");
    discardFolder(folder / "run/step-10");
    EXPECT_TRUE(fs::is_empty(folder / "run"));
}

}  // namespace
}  // namespace heddle::app
