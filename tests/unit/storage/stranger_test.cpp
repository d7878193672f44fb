// SPDX-License-Identifier: Apache-2.0
// What a stranger wrote into a run database is checked before it becomes a path or takes memory.
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

namespace heddle::storage {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class StrangerTest : public StorageTest {
protected:
    void spoil(const std::string& sql) const { SQLite::Database(file_, SQLite::OPEN_READWRITE).exec(sql); }
};

TEST_F(StrangerTest, OnlyTwelveHexadecimalDigitsAreAnId) {
    EXPECT_TRUE(isRunId("0123456789ab"));
    for (const char* text : {"", "../victim", "0123456789a", "0123456789abc", "0123456789AB", "0123456789a/", "0123456789 b"})
        EXPECT_FALSE(isRunId(text)) << text;
    EXPECT_THROW(openStore()->addRun(runRecord("../victim")), StorageError);
}

TEST(NewRunId, IsAnIdAndNotAgainTheSame) {
    const std::string id = newRunId();
    EXPECT_TRUE(isRunId(id)) << id;
    EXPECT_NE(newRunId(), id);
}

TEST_F(StrangerTest, AnIdThatLeadsElsewhereIsShownAsDamageAndCanBeDeleted) {
    storeWithRun()->addRun(runRecord("abcdef012345"));
    spoil("UPDATE run SET id = '../victim' WHERE num = 1");
    auto query = RunQuery::open(file_);
    EXPECT_FALSE(query->run("../victim"));
    for (const char* text : {"../victim", "damaged-1"}) {
        const auto found = query->matching(text);
        ASSERT_EQ(found.size(), 1U) << text;
        EXPECT_EQ(found[0].id, "damaged-1");
        EXPECT_TRUE(found[0].damaged);
    }
    for (const auto& run : query->runs()) EXPECT_TRUE(isRunId(run.id) || run.id == "damaged-1");
    EXPECT_THROW(openStore()->importRun(file_, "../victim"), StorageError);
    openStore()->deleteRun("damaged-1");
    EXPECT_THAT(RunQuery::open(file_)->runs(), SizeIs(1));
}

TEST_F(StrangerTest, ACheckpointLiesWhereItsRunAndStepSay) {
    auto store = storeWithRun();
    store->add(CheckpointRecord{kRun, 1, 50, "step", "/etc", "w", "o", "s", 1});
    store.reset();
    EXPECT_EQ(RunQuery::open(file_)->checkpoints(kRun)[0].folder, kRun + "/step-50");
    spoil("UPDATE checkpoint SET folder = '/etc'");
    const auto checkpoint = RunQuery::open(file_)->checkpoints(kRun)[0];
    EXPECT_EQ(checkpoint.folder, kRun + "/step-50");
    EXPECT_TRUE(checkpoint.damaged);
}

TEST_F(StrangerTest, AnEndlessNameTakesNoMemoryAndHidesNoOtherRun) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer takes more memory than this test leaves a process";
#endif
    storeWithRun()->addRun(runRecord("abcdef012345", "short"));
    spoil("UPDATE run SET name = replace(hex(zeroblob(20000000)), '0', 'a') WHERE num = 1");
    const int status = inChild([&] {
        const rlimit limit{std::uint64_t{200} << 20, std::uint64_t{200} << 20};
        ::setrlimit(RLIMIT_AS, &limit);
        const auto runs = RunQuery::open(file_)->runs();
        return runs.size() == 2 && runs[0].damaged != runs[1].damaged ? 0 : 1;
    });
    EXPECT_TRUE(endedWell(status)) << status;
}

TEST_F(StrangerTest, AKilledCreationIsFinishedByTheNextReader) {
    storeWithRun();
    // What SQLite leaves when it is killed between the first page that it writes and the end of the transaction: a journal that
    // only a writer may roll back.
    const int status = inChild([&] {
        std::filesystem::remove(file_ + "-wal");
        SQLite::Database database(file_, SQLite::OPEN_READWRITE);
        database.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE");
        for (int i = 0; i < 200; ++i)
            database.exec(
                "INSERT INTO item (kind, key, body, changed, rev) VALUES ('x', hex(randomblob(9)), hex(zeroblob(9000)), 0, 0)");
        return ::kill(::getpid(), SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_TRUE(std::filesystem::exists(file_ + "-journal"));
    EXPECT_THAT(RunQuery::open(file_)->runs(), SizeIs(1));
}

}  // namespace
}  // namespace heddle::storage
