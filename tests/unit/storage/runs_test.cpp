// SPDX-License-Identifier: Apache-2.0
#include "storage_fixture.h"

#include <gmock/gmock.h>

#include <limits>

namespace heddle::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunsTest : public StorageTest {
protected:
    std::vector<std::string> idsMatching(const std::string& text) {
        std::vector<std::string> ids;
        for (const auto& run : RunQuery::open(file_)->matching(text)) ids.push_back(run.id);
        return ids;
    }
};

TEST_F(RunsTest, ARunThatWasRolledBackIsForgotten) {
    auto store = openStore();
    store->begin();
    store->addRun(runRecord("00000000000a"));
    store->setState("00000000000a", "running", "");
    store->rollback();
    store->addRun(runRecord("00000000000b"));  // gets the number that the other one had
    EXPECT_EQ(kindOf([&] { store->setState("00000000000a", "failed", ""); }), StorageError::Kind::NotFound);
    EXPECT_EQ(RunQuery::open(file_)->run("00000000000b")->state, "queued");
}

TEST_F(RunsTest, ARunComesBackWhole) {
    RunRecord run = runRecord(kRun, "größe \"1\"");
    run.reason = "user";
    run.variantHash = "v";
    run.runHash = "r";
    run.seed = std::numeric_limits<std::uint64_t>::max();
    run.created = 1.75e9 + 0.125;
    run.attempts = 2;
    run.step = 3;
    run.epoch = 4;
    run.totalSteps = 5;
    run.parameters = 6;
    run.seconds = 7.5;
    run.lineage = "ffffffffffff";
    run.group = "reproduce/eau-table3 --quick";
    run.tags = {"a", "ü,\""};
    run.trashed = 1.75e9 + 0.5;
    run.queued = 1.75e9 + 0.25;
    openStore()->addRun(run);
    auto back = RunQuery::open(file_)->run(kRun);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->name, run.name);
    EXPECT_EQ(back->state, run.state);
    EXPECT_EQ(back->reason, run.reason);
    EXPECT_EQ(back->spec, run.spec);
    EXPECT_EQ(back->variantHash, "v");
    EXPECT_EQ(back->runHash, "r");
    EXPECT_EQ(back->seed, run.seed);
    EXPECT_EQ(back->created, run.created);
    EXPECT_EQ(back->attempts, 2);
    EXPECT_EQ(back->step, 3);
    EXPECT_EQ(back->epoch, 4);
    EXPECT_EQ(back->totalSteps, 5);
    EXPECT_EQ(back->parameters, 6);
    EXPECT_EQ(back->seconds, 7.5);
    EXPECT_EQ(back->lineage, run.lineage);
    EXPECT_EQ(back->group, run.group);
    EXPECT_EQ(back->tags, run.tags);
    EXPECT_EQ(back->trashed, run.trashed);
    EXPECT_EQ(back->queued, run.queued);
    EXPECT_GT(back->rev, 0);
}

TEST_F(RunsTest, UpdateAndStateChangeWhatTheySay) {
    auto store = storeWithRun();
    auto query = RunQuery::open(file_);
    RunRecord run = *query->run(kRun);
    run.name = "renamed";
    run.tags = {"x"};
    run.step = 99;
    store->updateRun(run);
    EXPECT_EQ(query->run(kRun)->name, "renamed");
    EXPECT_THAT(query->run(kRun)->tags, ElementsAre("x"));
    EXPECT_EQ(query->run(kRun)->trashed, 0);
    run.trashed = 1234.5;
    store->updateRun(run);
    EXPECT_EQ(query->run(kRun)->trashed, 1234.5);
    run.trashed = 0;
    store->updateRun(run);
    EXPECT_EQ(query->run(kRun)->trashed, 0);
    run.queued = 77;
    store->updateRun(run);
    EXPECT_EQ(query->run(kRun)->queued, 77);
    store->setState(kRun, "running", "user");
    auto back = query->run(kRun);
    EXPECT_EQ(back->state, "running");
    EXPECT_EQ(back->reason, "user");
    EXPECT_EQ(back->step, 99);
    EXPECT_EQ(back->created, 1000);
}

TEST_F(RunsTest, UnknownRunsAndRepeatedIdsAreErrorsThatChangeNothing) {
    auto store = storeWithRun();
    EXPECT_EQ(kindOf([&] { store->setState("ffffffffffff", "running", ""); }), StorageError::Kind::NotFound);
    EXPECT_EQ(kindOf([&] { store->addRun(runRecord(kRun, "twice")); }), StorageError::Kind::Invalid);
    EXPECT_EQ(RunQuery::open(file_)->runs()[0].name, "eau");
}

TEST_F(RunsTest, RevisionsTellWhatIsNew) {
    auto store = openStore();
    auto query = RunQuery::open(file_);
    EXPECT_EQ(query->revision(), 0);
    store->begin();
    store->addRun(runRecord("aaaaaaaaaaaa"));
    store->addRun(runRecord("bbbbbbbbbbbb"));
    store->commit(RunStore::Durability::Full);
    EXPECT_EQ(query->revision(), 1);
    std::int64_t version = query->dataVersion();
    EXPECT_EQ(query->dataVersion(), version);
    store->setState("bbbbbbbbbbbb", "running", "");
    EXPECT_NE(query->dataVersion(), version);
    EXPECT_EQ(query->revision(), 2);
    auto changed = query->runs(1);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed[0].id, "bbbbbbbbbbbb");
    EXPECT_EQ(changed[0].rev, 2);
    store->begin();
    store->commit(RunStore::Durability::Normal);  // changed nothing
    EXPECT_EQ(query->revision(), 2);
    store->add(EvaluationRecord{"aaaaaaaaaaaa", 1, 40, 1, "valid", "loss", "", 1, 100, 0});
    changed = query->runs(2);
    ASSERT_EQ(changed.size(), 1U) << "a run that got a value is read again";
    EXPECT_EQ(changed[0].id, "aaaaaaaaaaaa");
}

TEST_F(RunsTest, MatchingPrefersIdThenPrefixThenName) {
    auto store = openStore();
    auto add = [&](const char* id, const char* name, double created) {
        RunRecord run = runRecord(id, name);
        run.created = created;
        store->addRun(run);
    };
    add("aaaa00000001", "eau", 1);
    add("aaaa00000002", "eau", 2);
    add("bbbb00000003", "aaaa", 3);
    add("cccc00000004", "aaaa00000001", 4);
    add("dddd00000005", "50%_x", 5);
    EXPECT_THAT(idsMatching("aaaa00000001"), ElementsAre("aaaa00000001"));
    EXPECT_THAT(idsMatching("aaaa"), ElementsAre("aaaa00000002", "aaaa00000001"));
    EXPECT_THAT(idsMatching("bb"), ElementsAre("bbbb00000003"));
    EXPECT_THAT(idsMatching("eau"), ElementsAre("aaaa00000002", "aaaa00000001"));
    EXPECT_THAT(idsMatching("50%_x"), ElementsAre("dddd00000005"));
    EXPECT_THAT(idsMatching("50%"), ElementsAre());
    EXPECT_THAT(idsMatching("%"), ElementsAre());
    EXPECT_THAT(idsMatching("ea"), ElementsAre());
    EXPECT_THAT(idsMatching(""), ElementsAre());
}

TEST_F(RunsTest, AttemptsAreCountedAndComeBackWhole) {
    auto store = storeWithRun();
    AttemptRecord attempt;
    attempt.run = kRun;
    attempt.started = 5;
    attempt.device = "cpu";
    attempt.host = "h";
    attempt.program = "0.1.0";
    attempt.torch = "2.11.0";
    attempt.threads = 2;
    attempt.context = "{}";
    store->addAttempt(attempt);
    attempt.attempt = 2;
    attempt.firstStep = 40;
    store->addAttempt(attempt);
    attempt.seconds = 9;
    attempt.peakBytes = 1 << 20;
    attempt.replay = "equal";
    attempt.replayedSteps = 12;
    store->updateAttempt(attempt);
    auto query = RunQuery::open(file_);
    EXPECT_EQ(query->run(kRun)->attempts, 2);
    auto attempts = query->attempts(kRun);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_EQ(attempts[0].seconds, 0);
    EXPECT_EQ(attempts[1].firstStep, 40);
    EXPECT_EQ(attempts[1].seconds, 9);
    EXPECT_EQ(attempts[1].replay, "equal");
    EXPECT_EQ(attempts[1].replayedSteps, 12);
    EXPECT_EQ(attempts[1].torch, "2.11.0");
    EXPECT_EQ(attempts[1].threads, 2);
    EXPECT_EQ(attempts[1].peakBytes, 1 << 20);
    EXPECT_THROW(store->addAttempt(attempt), StorageError);
}

TEST_F(RunsTest, AFailedCallRollsTheWholeTransactionBack) {
    auto store = storeWithRun();
    store->begin();
    store->setState(kRun, "running", "");
    store->append(block(1, ramp(10)));
    EXPECT_THROW(store->setState("ffffffffffff", "running", ""), StorageError);
    auto error = errorOf([&] { store->commit(RunStore::Durability::Normal); });
    ASSERT_TRUE(error);
    EXPECT_THAT(error->what(), HasSubstr("no transaction"));
    auto query = RunQuery::open(file_);
    EXPECT_EQ(query->run(kRun)->state, "queued");
    EXPECT_TRUE(lossPoints().empty());
    store->append(block(1, ramp(10)));
    EXPECT_EQ(lossPoints().size(), 10U);
}

TEST_F(RunsTest, AnAbandonedTransactionIsRolledBack) {
    {
        auto store = storeWithRun();
        store->begin();
        store->setState(kRun, "running", "");
        EXPECT_THROW(store->begin(), StorageError);
        EXPECT_EQ(RunQuery::open(file_)->run(kRun)->state, "queued");
    }
    EXPECT_EQ(RunQuery::open(file_)->run(kRun)->state, "queued");
}

TEST_F(RunsTest, ARunIsMadeAndChangedInOneTransaction) {
    auto store = openStore();
    store->begin();
    store->addRun(runRecord("0123456789ab"));
    store->setState("0123456789ab", "preparing", "");
    store->add(EventRecord{"0123456789ab", 1, 0, 0, 0, "info", "begun", ""});
    store->commit(RunStore::Durability::Full);
    auto query = RunQuery::open(file_);
    EXPECT_EQ(query->run("0123456789ab")->state, "preparing");
    EXPECT_EQ(query->events("0123456789ab").size(), 1U);
    EXPECT_TRUE(query->damages().empty());
}

}  // namespace
}  // namespace heddle::storage
