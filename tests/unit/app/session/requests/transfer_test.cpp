// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/transfer.h"

#include "app/session/requests/ask_owner.h"
#include "app/session/runs/checkpoint_folders.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class TransferTest : public testing::Test, protected SessionFixture {
protected:
    /// Trains to the end and returns the run's id.
    std::string train(const std::string& name) const {
        const auto session = open();
        auto run = session->submit(smallSpec(name, 30));
        EXPECT_TRUE(ends(*session, run));
        return run;
    }

    const std::string& from_ = file_;
    const std::string to_ = folder_ / "to.heddle";
};

TEST_F(TransferTest, ACopyHasTheRowsAndTheCheckpointsOfItsRun) {
    const auto run = train("base");
    EXPECT_THAT(copyRuns(from_, to_, {"base"}), ElementsAre(run));
    const auto original = storage::RunQuery::open(from_);
    const auto copy = storage::RunQuery::open(to_);
    EXPECT_EQ(copy->run(run)->state, "completed");
    EXPECT_EQ(copy->run(run)->step, original->run(run)->step);
    ASSERT_EQ(copy->checkpoints(run).size(), original->checkpoints(run).size());
    ASSERT_FALSE(copy->checkpoints(run).empty());
    for (const auto& checkpoint : copy->checkpoints(run))
        EXPECT_EQ(checkpointProblem(storage::artifactFolder(to_), checkpoint), "");
}

TEST_F(TransferTest, WithoutNamesWhatIsInTheTrashStaysBehind) {
    const auto kept = train("kept");
    const auto trashed = train("trashed");
    edit(from_, TrashRun{trashed});
    EXPECT_THAT(copyRuns(from_, to_, {}), ElementsAre(kept));
    EXPECT_THAT(copyRuns(from_, to_, {trashed}), ElementsAre(trashed)) << "by its name it can be had";
}

TEST_F(TransferTest, ACopyThatWasInterruptedCanBeRepeated) {
    const auto first = train("first");
    const auto second = train("second");
    copyRuns(from_, to_, {first, second});
    const fs::path folder = storage::artifactFolder(to_);
    fs::remove_all(folder / second);  // killed before its folder had its name
    EXPECT_THAT(copyRuns(from_, to_, {}), UnorderedElementsAre(first, second));
    for (const auto& run : {first, second})
        EXPECT_TRUE(newestVerified(folder.string(), storage::RunQuery::open(to_)->checkpoints(run)).checkpoint) << run;
    EXPECT_EQ(storage::RunQuery::open(to_)->runs().size(), 2U);
}

/// What a stranger's database brings along: links to files and folders of others, and a file that would fill the disk.
TEST_F(TransferTest, OnlyTheFilesOfARunAreCopiedAndNoLinkIsFollowed) {
    const auto run = train("base");
    const fs::path artifacts = storage::artifactFolder(from_), outside = folder_ / "outside";
    const auto checkpoints = query()->checkpoints(run);
    fs::create_directories(outside);
    std::ofstream(outside / "source.json") << "secret";
    fs::create_directory_symlink(outside, artifacts / run / "tokenizer");
    std::ofstream(artifacts / run / "notes") << "of nobody";
    const fs::path large = artifacts / checkpoints.front().folder / "weights.safetensors";
    fs::resize_file(large, std::uintmax_t{1} << 40);
    copyRuns(from_, to_, {});
    const fs::path copy = fs::path(storage::artifactFolder(to_)) / run;
    EXPECT_FALSE(fs::exists(copy / "tokenizer"));
    EXPECT_FALSE(fs::exists(copy / "notes"));
    EXPECT_FALSE(fs::exists(copy / large.parent_path().filename()));
    std::string told;
    for (const auto& event : storage::RunQuery::open(to_)->events(run))
        if (event.kind == "warning") told += event.text + "\n";
    EXPECT_THAT(told, AllOf(HasSubstr(run + "/tokenizer is a link"), HasSubstr("weights.safetensors is larger than recorded")));
    EXPECT_THAT(told, testing::Not(HasSubstr(artifacts.string()))) << "a folder that nobody has there";
}

TEST_F(TransferTest, ALinkedFolderOfARunIsNotCopied) {
    const auto run = train("base");
    const fs::path folder = fs::path(storage::artifactFolder(from_)) / run;
    fs::rename(folder, folder_ / "elsewhere");
    fs::create_directory_symlink(folder_ / "elsewhere", folder);
    copyRuns(from_, to_, {});
    EXPECT_FALSE(fs::exists(fs::path(storage::artifactFolder(to_)) / run));
}

TEST_F(TransferTest, ARunThatIsAnotherOneNowIsRefusedAndTheFirstCopyStaysWhole) {
    const auto run = train("base");
    copyRuns(from_, to_, {});
    {
        const auto store = storage::RunStore::open(to_, {"transfer test", 0});
        store->setState(run, "stopped", "went on there");
    }
    EXPECT_THAT(whyRefused([&] { copyRuns(from_, to_, {}); }), HasSubstr(run));
    const auto checkpoints = storage::RunQuery::open(to_)->checkpoints(run);
    EXPECT_EQ(checkpointProblem(storage::artifactFolder(to_), checkpoints.at(0)), "");
}

TEST_F(TransferTest, WhatABrokenOffCopyLeftIsReplaced) {
    const auto run = train("base");
    const auto target = std::filesystem::path(storage::artifactFolder(to_)) / run;
    std::filesystem::create_directories(target / "step-1");
    copyRuns(from_, to_, {});
    EXPECT_FALSE(std::filesystem::exists(target / "step-1"));
    EXPECT_TRUE(newestVerified(storage::artifactFolder(to_), storage::RunQuery::open(to_)->checkpoints(run)).checkpoint);
}

TEST_F(TransferTest, AnActiveRunIsRefused) {
    const auto run = train("base");
    {
        const auto store = storage::RunStore::open(from_, {"transfer test", 0});
        store->begin();
        store->setState(run, "running", "");
        store->commit(storage::RunStore::Durability::Full);
    }
    EXPECT_THAT(whyRefused([&] { copyRuns(from_, to_, {run}); }), HasSubstr("running"));
    EXPECT_FALSE(std::filesystem::exists(to_)) << "nothing was begun";
}

}  // namespace
}  // namespace heddle::app
