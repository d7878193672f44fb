// SPDX-License-Identifier: Apache-2.0
#include "app/session/requests/transfer.h"

#include "app/session/requests/requests.h"
#include "app/session/runs/checkpoint_folders.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

TEST_F(TransferTest, ASecondCopyIsRefusedAndTheFirstOneStaysWhole) {
    const auto run = train("base");
    copyRuns(from_, to_, {});
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
