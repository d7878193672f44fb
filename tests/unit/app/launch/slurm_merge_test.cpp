// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_merge.h"

#include "engine/base/error.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using End = MergedRun::End;

class SlurmMergeTest : public testing::Test, protected SessionFixture {
protected:
    std::string train() const {
        const auto session = open();
        auto run = session->submit(smallSpec("base", 30));
        EXPECT_TRUE(ends(*session, run));
        return run;
    }
    MergedRun merge() const { return mergeRun(file_, to_, "study/gates"); }

    const std::string to_ = folder_ / "study.heddle";
};

TEST_F(SlurmMergeTest, ARunThatHasEndedIsCopiedOnceIntoTheGroup) {
    const std::string run = train();
    for (int i = 0; i < 2; ++i) {
        const MergedRun merged = merge();
        EXPECT_EQ(merged.end, End::Merged) << merged.why;
        EXPECT_EQ(merged.run, run);
        EXPECT_EQ(merged.state, "completed");
    }
    const auto runs = storage::RunQuery::open(to_)->runs();
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs.front().group, "study/gates");
}

TEST_F(SlurmMergeTest, ARunNamesTheCopyOfTheRunThatItStartsFrom) {
    const std::string runs = folder_ / "study.heddle.jobs/runs", id = "0123456789ab";
    const std::string child = runs + "/child/data/runs.heddle", copies = storage::artifactFolder(to_) + "/" + id;
    const auto mergedFrom = [&](const std::string& checkpoint) {
        fs::remove_all(runs);
        fs::create_directories(fs::path(child).parent_path());
        auto options = sessionOptions("merge test");
        options.database = child;
        RunSpec spec = smallSpec("fine", 30);
        spec.train.start.checkpoint = checkpoint;
        {
            RunSession session(std::move(options));
            EXPECT_TRUE(ends(session, session.submit(spec)));
        }
        const MergedRun merged = mergeRun(child, to_, "sweep/plan");
        EXPECT_EQ(merged.end, End::Merged) << merged.why;
        const auto record = storage::RunQuery::open(to_)->run(merged.run);
        const Json start = Json::parse(record->spec).at("train").at("start").at("checkpoint");
        return std::pair(start.get<std::string>(), record->lineage);
    };
    EXPECT_EQ(mergedFrom(runs + "/parent/data/runs.heddle.d/" + id + "/step-30"), std::pair(copies + "/step-30", id));
    EXPECT_EQ(mergedFrom(copies + "/step-30"), std::pair(copies + "/step-30", id));
    EXPECT_EQ(mergedFrom("/elsewhere/" + id + "/step-30"), std::pair("/elsewhere/" + id + "/step-30", std::string()));
}

TEST_F(SlurmMergeTest, WhatItsJobHasNotEndedStaysWhereItIs) {
    EXPECT_EQ(merge().why, "its job recorded nothing");
    open();  // a database without a run
    EXPECT_EQ(merge().end, End::Unfinished);
    EXPECT_EQ(merge().why, "its job had not begun to train");
    EXPECT_FALSE(fs::exists(to_));
}

TEST_F(SlurmMergeTest, WaitsForAnOwnerOfEitherDatabase) {
    train();
    {
        const auto job = storage::RunStore::open(file_, {"heddle sweep", 0});
        EXPECT_EQ(merge().end, End::Busy) << "a job that Slurm lost goes on";
    }
    const auto study = storage::RunStore::open(to_, {"heddle train", 0});
    const MergedRun merged = merge();
    EXPECT_EQ(merged.end, End::Busy);
    EXPECT_THAT(merged.why, HasSubstr("heddle train"));
}

TEST_F(SlurmMergeTest, RefusesADamagedCheckpointBeforeAnythingIsCopied) {
    const std::string run = train();
    const auto checkpoint = storage::RunQuery::open(file_)->checkpoints(run).front();
    for (const auto& entry : fs::directory_iterator(fs::path(storage::artifactFolder(file_)) / checkpoint.folder))
        if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::app) << "x";
    try {
        merge();
        FAIL() << "not refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidInput);
        EXPECT_THAT(error.problem(), HasSubstr(run));
        EXPECT_THAT(error.next(), HasSubstr("train the run anew"));
    }
    EXPECT_FALSE(fs::exists(to_));
}

}  // namespace
}  // namespace heddle::app
