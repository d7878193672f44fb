// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/checkpoint_folders.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "storage/run_store.h"
#include "tests/unit/app/session/fake_engine.h"

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

constexpr const char* kKeptRun = "00000000000a";

CheckpointRecord row(const std::string& kind, std::int64_t step) {
    CheckpointRecord record;
    record.run = kKeptRun;
    record.step = step;
    record.kind = kind;
    record.folder = storage::checkpointFolder(kKeptRun, step, kind);
    return record;
}

TEST(PlanRetention, KeepsTheNewestStepsTheBestAndTheLast) {
    const auto plan = planRetention({row("step", 0), row("step", 10), row("step", 20), row("step", 30), row("best", 10),
                                     row("best", 20), row("last", 25), row("last", 30)},
                                    2);
    EXPECT_THAT(plan.folders, ElementsAre("00000000000a/step-0", "00000000000a/step-10", "00000000000a/step-25"));
    EXPECT_EQ(plan.rows.size(), 4U);  // step 0, step 10, best 10, last 25; best 20 and step 20 share a folder that stays
}

TEST(PlanRetention, AFolderStaysWhileAnyRowNeedsIt) {
    const auto plan = planRetention({row("step", 10), row("best", 10), row("step", 20), row("step", 30)}, 1);
    EXPECT_THAT(plan.folders, ElementsAre("00000000000a/step-20"));
    EXPECT_EQ(plan.rows.size(), 2U);
}

TEST(PlanRetention, AtLeastOneOfKindStepIsKept) { EXPECT_THAT(planRetention({row("step", 10)}, 0).rows, IsEmpty()); }

TEST(PlanRetention, ACheckpointWrittenAgainByAResumedAttemptIsNotRemoved) {
    auto again = row("step", 10);
    again.attempt = 2;
    EXPECT_THAT(planRetention({row("step", 10), again}, 1).rows, IsEmpty());
}

TEST(PlanRetention, AveragesStay) {
    const auto plan = planRetention({row("average-10-20", 20), row("average-20-30", 30), row("step", 10), row("step", 20),
                                     row("step", 30), row("last", 30)},
                                    1);
    EXPECT_THAT(plan.folders, ElementsAre("00000000000a/step-10", "00000000000a/step-20"));
    for (const auto& gone : plan.rows) EXPECT_EQ(gone.kind, "step");
}

CheckpointRecord written(const TemporaryFolder& folder, std::int64_t step) {
    const auto event = writeFakeCheckpoint(folder / kKeptRun, step, {"step"});
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
    const fs::path run = folder / kKeptRun;
    std::ofstream(run / "step-30/weights.safetensors") << "x";
    fs::remove(run / "step-20/state.json");
    const auto choice = newestVerified(folder / "", rows);
    ASSERT_TRUE(choice.checkpoint.has_value());
    EXPECT_EQ(choice.checkpoint->step, 10);
    const std::string id = kKeptRun;  // notes name the run and no folder, which changes with a move
    EXPECT_THAT(choice.skipped, ElementsAre(testing::StartsWith(id + "/step-30/weights.safetensors is damaged"),
                                            testing::StartsWith(id + "/step-20/state.json is missing")));
}

TEST(NewestVerified, IsNeverAnAverage) {
    const TemporaryFolder folder;
    const auto known = written(folder, 10);
    auto average = known;  // its files verify
    average.kind = "average-10-20";
    average.step = 20;
    const auto choice = newestVerified(folder / "", {average, known});
    ASSERT_TRUE(choice.checkpoint.has_value());
    EXPECT_EQ(choice.checkpoint->kind, "step");
    EXPECT_FALSE(newestVerified(folder / "", {average}).checkpoint.has_value());
}

TEST(NewestVerified, NothingUsable) {
    const TemporaryFolder folder;
    EXPECT_FALSE(newestVerified(folder / "", {row("step", 10)}).checkpoint.has_value());
    EXPECT_FALSE(newestVerified(folder / "", {}).checkpoint.has_value());
}

TEST(VocabularyProblems, AMissingOrChangedTokenizerIsFound) {
    const TemporaryFolder folder;
    const auto checkpoint = written(folder, 10);
    EXPECT_THAT(vocabularyProblems(folder / "", checkpoint), IsEmpty()) << "the run has none";
    const fs::path run = folder / kKeptRun;
    fs::create_directories(run / "tokenizer");
    const auto write = [&](const char* name, const std::string& text) { std::ofstream(run / name) << text; };
    write("tokenizer/source.json", "a");
    write("tokenizer/target.model", "b");
    write("tokenizer/classes.json", "c");
    const Json identity{{"tokenizer_hashes", {sha256Hex("a"), sha256Hex("b")}}, {"classes_hash", sha256Hex("c")}};
    write("step-10/state.json", Json{{"identity", identity}}.dump());
    EXPECT_THAT(vocabularyProblems(folder / "", checkpoint), IsEmpty());
    write("tokenizer/target.model", "B");
    EXPECT_THAT(vocabularyProblems(folder / "", checkpoint), ElementsAre(HasSubstr("target.model differs from the one")));
    fs::rename(run / "tokenizer/target.model", folder / "elsewhere");
    fs::create_symlink(folder / "elsewhere", run / "tokenizer/target.model");
    EXPECT_THAT(vocabularyProblems(folder / "", checkpoint), ElementsAre(HasSubstr("target.model is a link")));
    fs::remove_all(run / "tokenizer");
    EXPECT_THAT(vocabularyProblems(folder / "", checkpoint),
                ElementsAre(HasSubstr("tokenizer/source:"), HasSubstr("tokenizer/target:"), HasSubstr("tokenizer/classes:")));
    write("step-10/state.json", "not JSON");
    EXPECT_THAT(vocabularyProblems(folder / "", checkpoint), testing::SizeIs(1));
}

TEST(SweepRunFolder, RemovesLeftoversAndKeepsWhatRowsKnow) {
    const TemporaryFolder folder;
    const auto known = written(folder, 10);
    written(folder, 20);  // its row was never committed
    const fs::path run = folder / kKeptRun, tokenizer = run / "tokenizer";
    fs::create_directories(run / "average-5-10");
    fs::create_directories(run / "average-10-20");  // neither was that of this one
    fs::create_directories(run / ".tmp-abc");
    fs::create_directories(run / ".trash-step-5");
    fs::create_directories(tokenizer);
    std::ofstream(tokenizer / "source.json") << "{}";
    std::ofstream(tokenizer / "target.json.17.0.tmp") << "{";
    sweepRunFolder(folder / "", kKeptRun, {known, row("average-5-10", 10)});
    EXPECT_TRUE(fs::exists(run / "step-10"));
    EXPECT_TRUE(fs::exists(run / "average-5-10"));
    EXPECT_FALSE(fs::exists(run / "average-10-20"));
    EXPECT_TRUE(fs::exists(tokenizer / "source.json"));
    EXPECT_FALSE(fs::exists(tokenizer / "target.json.17.0.tmp"));
    EXPECT_FALSE(fs::exists(run / "step-20"));
    EXPECT_FALSE(fs::exists(run / ".tmp-abc"));
    EXPECT_FALSE(fs::exists(run / ".trash-step-5"));
}

TEST(SweepRunFolder, FollowsNoLink) {
    const TemporaryFolder folder;
    const auto known = written(folder, 10);
    const fs::path outside = folder / "outside", run = folder / kKeptRun;
    fs::create_directories(outside / ".tmp-mine");
    std::ofstream(outside / "mine.tmp") << "x";
    fs::create_directory_symlink(outside, run / "tokenizer");
    fs::create_directory_symlink(outside, run / "step-20");
    sweepRunFolder(folder / "", kKeptRun, {known});
    EXPECT_TRUE(fs::exists(outside / "mine.tmp"));
    EXPECT_TRUE(fs::is_symlink(run / "step-20"));
}

TEST(NewestVerified, TakesNoCheckpointThroughALink) {
    const TemporaryFolder folder;
    const std::vector rows{written(folder, 10), written(folder, 20)};
    const fs::path run = folder / kKeptRun;
    fs::rename(run / "step-20", folder / "elsewhere");
    fs::create_directory_symlink(folder / "elsewhere", run / "step-20");
    const auto choice = newestVerified(folder / "", rows);
    ASSERT_TRUE(choice.checkpoint.has_value());
    EXPECT_EQ(choice.checkpoint->step, 10);
    EXPECT_THAT(choice.skipped, ElementsAre(HasSubstr("step-20 is a link")));
}

class SweepArtifactsTest : public testing::Test {
protected:
    SweepArtifactsTest() {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        for (const char* id : {kDeleted, kKept, kImported}) {
            storage::RunRecord run;
            run.id = id;
            run.state = "completed";
            run.spec = "{}";
            store->addRun(run);
        }
        store->deleteRun(kDeleted);
    }
    std::string make(const std::string& name) {
        fs::create_directories(artifacts_ / name / "step-1");
        std::ofstream(artifacts_ / name / "step-1/weights.safetensors") << name;
        return artifacts_ / name;
    }
    void sweep() { sweepArtifacts(artifacts_, *storage::RunQuery::open(file_)); }

    static constexpr const char *kDeleted = "00000000000d", *kKept = "00000000000a", *kImported = "00000000000b",
                                *kUnknown = "00000000000c";
    TemporaryFolder folder_;
    std::string file_ = folder_ / "t.heddle";
    fs::path artifacts_ = file_ + ".d";
};

TEST_F(SweepArtifactsTest, WhatKilledProcessesLeftGoesAndNothingElse) {
    const std::string outside = folder_ / "outside";
    fs::create_directories(outside);
    std::ofstream(outside + "/file") << "x";
    std::vector<std::string> gone{make(kDeleted), make(std::string(".trash-") + kDeleted + "-17-1"),
                                  make(std::string(kUnknown) + ".tmp-import")};
    std::vector<std::string> kept{make(kKept),   make(kUnknown), make("tokenizer"),       make(".trash-mine"),
                                  make("notes"), make(".git"),   make("00000000000d.old")};
    std::ofstream(artifacts_ / ".trash-00000000000d-1-1") << "a file";
    fs::create_directory_symlink(outside, artifacts_ / ".trash-00000000000d-2-2");
    sweep();
    for (const auto& folder : gone) EXPECT_FALSE(fs::exists(folder)) << folder;
    for (const auto& folder : kept) EXPECT_TRUE(fs::exists(folder + "/step-1/weights.safetensors")) << folder;
    EXPECT_TRUE(fs::exists(artifacts_ / ".trash-00000000000d-1-1")) << "not a folder";
    EXPECT_TRUE(fs::exists(outside + "/file"));
}

TEST_F(SweepArtifactsTest, ACheckpointThatAKilledOwnerWroteGoesAlsoIfNobodyResumesItsRun) {
    const std::string kept = make(kKept);
    const auto unfinished = make(std::string(kKept) + "/.tmp-227088"),
               removed = make(std::string(kKept) + "/.trash-step-5-1-1");
    sweep();
    EXPECT_FALSE(fs::exists(unfinished));
    EXPECT_FALSE(fs::exists(removed));
    EXPECT_TRUE(fs::exists(kept + "/step-1/weights.safetensors"));
}

/// Retention removes rows first and folders then; killed in between, a run that is completed would keep them for ever.
TEST_F(SweepArtifactsTest, CheckpointsThatRetentionHadRemovedGoAndLaterOnesStay) {
    for (const char* step : {"step-5", "step-10", "step-20", "step-30", "step-7x", "average-5-10"})
        fs::create_directories(artifacts_ / kKept / step);
    const auto store = storage::RunStore::open(file_, {"test", 0});
    storage::CheckpointRecord row;
    row.run = kKept;
    row.step = 20;
    row.kind = "last";
    row.folder = storage::checkpointFolder(kKept, 20, row.kind);
    store->add(row);
    sweep();
    for (const char* gone : {"step-5", "step-10"}) EXPECT_FALSE(fs::exists(artifacts_ / kKept / gone)) << gone;
    EXPECT_TRUE(fs::exists(artifacts_ / kKept / "step-20"));
    EXPECT_TRUE(fs::exists(artifacts_ / kKept / "step-30")) << "the database may be an older copy";
    EXPECT_TRUE(fs::exists(artifacts_ / kKept / "step-7x"));
    EXPECT_TRUE(fs::exists(artifacts_ / kKept / "average-5-10"));
}

TEST_F(SweepArtifactsTest, OnlyFoldersWhoseNamesTrainingWritesAreCheckpoints) {
    const std::vector<std::string> kept{"step--1",   "step-007",     "step-+5", "step-", "step-99999999999999999999",
                                        "tokenizer", "average-5-10", "step-20", "notes"};
    for (const std::string& name : kept) fs::create_directories(artifacts_ / kKept / name);
    fs::create_directories(artifacts_ / kKept / "step-7");
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        storage::CheckpointRecord row;
        row.run = kKept;
        row.step = 20;
        row.kind = "last";
        row.folder = storage::checkpointFolder(kKept, 20, row.kind);
        store->add(row);
    }
    sweep();
    for (const std::string& name : kept) EXPECT_TRUE(fs::exists(artifacts_ / kKept / name)) << name;
    EXPECT_FALSE(fs::exists(artifacts_ / kKept / "step-7"));
}

TEST_F(SweepArtifactsTest, AnImportWhoseRowsAreThereIsCompleted) {
    const auto copy = make(std::string(kImported) + ".tmp-import");
    sweep();
    EXPECT_FALSE(fs::exists(copy));
    EXPECT_TRUE(fs::exists(artifacts_ / kImported / "step-1/weights.safetensors"));
}

TEST_F(SweepArtifactsTest, WithoutAFolderThereIsNothingToDo) { EXPECT_NO_THROW(sweep()); }

TEST(DiscardFolder, IsCompleteAndHarmlessWhenThereIsNone) {
    const TemporaryFolder folder;
    written(folder, 10);
    discardFolder(folder / "", std::string(kKeptRun) + "/step-10");
    discardFolder(folder / "", std::string(kKeptRun) + "/step-10");
    EXPECT_TRUE(fs::is_empty(folder / kKeptRun));
}

TEST(DiscardFolder, FollowsNoLink) {
    const TemporaryFolder folder;
    const fs::path outside = folder / "outside", artifacts = folder / "artifacts", run = artifacts / kKeptRun;
    fs::create_directories(outside / "step-10");
    fs::create_directories(artifacts);
    fs::create_directory_symlink(outside, run);
    EXPECT_THROW(discardFolder(artifacts, std::string(kKeptRun) + "/step-10"), Error) << "of the folder that a link leads to";
    EXPECT_TRUE(fs::exists(outside / "step-10"));
    discardFolder(artifacts, kKeptRun);
    EXPECT_FALSE(fs::is_symlink(run)) << "the link itself goes";
    EXPECT_TRUE(fs::exists(outside / "step-10"));
}

TEST(RunOfCheckpoint, IsTheFolderBelowThoseOfTheDatabaseHoweverItIsWritten) {
    const std::string run = kKeptRun;
    EXPECT_EQ(runOfCheckpoint("/a/runs.heddle.d/" + run + "/step-10", "/a/runs.heddle.d"), run);
    EXPECT_EQ(runOfCheckpoint("/a/runs.heddle.d/" + run + "/step-10", "/a/./b/../runs.heddle.d"), run);
    EXPECT_EQ(runOfCheckpoint("/a/./runs.heddle.d/" + run + "/step-10", "/a/runs.heddle.d"), run);
    EXPECT_EQ(runOfCheckpoint("/b/runs.heddle.d/" + run + "/step-10", "/a/runs.heddle.d"), "");
    EXPECT_EQ(runOfCheckpoint("/a/runs.heddle.d/model/step-10", "/a/runs.heddle.d"), "");
    EXPECT_EQ(runOfCheckpoint("", "/a/runs.heddle.d"), "");
}

TEST(LinkMissing, WritesThroughNoLink) {
    const TemporaryFolder folder;
    const fs::path from = folder / "from", to = folder / "to", outside = folder / "outside";
    fs::create_directories(from / kKeptRun / "step-10");
    fs::create_directories(outside);
    fs::create_directories(to);
    fs::create_directory_symlink(outside, to / kKeptRun);
    EXPECT_THROW(linkMissing(from, to, kKeptRun), Error);
    EXPECT_TRUE(fs::is_empty(outside));
}

}  // namespace
}  // namespace heddle::app
