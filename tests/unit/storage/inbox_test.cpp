// SPDX-License-Identifier: Apache-2.0
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <chrono>
#include <set>

namespace heddle::storage {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using InboxTest = StorageTest;

TEST_F(InboxTest, ARequestIsTakenOnceAndAnswered) {
    auto store = storeWithRun();
    EXPECT_TRUE(store->takeRequests().empty());
    std::int64_t first = putRequest(file_, {0, "pause", "0123456789ab", "{}"});
    std::int64_t second = putRequest(file_, {0, "tag", "0123456789ab", R"({"add":["ü"]})"});
    EXPECT_GT(first, 0);
    EXPECT_NE(first, second);
    auto requests = store->takeRequests();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[0].id, first);
    EXPECT_EQ(requests[0].verb, "pause");
    EXPECT_EQ(requests[0].run, "0123456789ab");
    EXPECT_EQ(requests[1].body, R"({"add":["ü"]})");
    EXPECT_TRUE(store->takeRequests().empty());
    EXPECT_EQ(readAnswer(file_, first), std::nullopt);

    store->answer(first, true, "paused");
    EXPECT_EQ(readAnswer(file_, first), std::pair(true, std::string("paused")));
    store->begin();
    store->setState("0123456789ab", "running", "");
    store->answer(second, false, "no");
    EXPECT_EQ(readAnswer(file_, second), std::nullopt);
    store->commit(RunStore::Durability::Full);
    EXPECT_EQ(readAnswer(file_, second), std::pair(false, std::string("no")));
    EXPECT_TRUE(store->takeRequests().empty());
}

TEST_F(InboxTest, WhatWasNotAnsweredGoesToTheNextOwnerAndNothingTwice) {
    std::int64_t kept = 0, done = 0;
    {
        auto store = storeWithRun();
        kept = putRequest(file_, {0, "enqueue", "", "{}"});
        done = putRequest(file_, {0, "stop", "", "{}"});
        EXPECT_EQ(store->takeRequests().size(), 2U);
        store->answer(done, true, "");
        store->begin();
        store->answer(kept, true, "lost with the transaction");
        store->rollback();
    }
    auto store = openStore();
    auto requests = store->takeRequests();
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].id, kept);
}

/// The owner died between committing the answer and removing the request: the next one does not act on it again.
TEST_F(InboxTest, AnAnsweredRequestIsNotGivenOutAgain) {
    std::int64_t id = 0;
    {
        auto store = storeWithRun();
        id = putRequest(file_, {0, "enqueue", "", "{}"});
        store->takeRequests();
        store->answer(id, true, "done");
    }
    putRequest(file_, {id, "enqueue", "", "{}"});
    EXPECT_TRUE(openStore()->takeRequests().empty());
}

TEST_F(InboxTest, RequestsBeforeThereIsADatabaseAreKept) {
    std::int64_t id = putRequest(file_, {0, "enqueue", "", "{}"});
    EXPECT_EQ(readAnswer(file_, id), std::nullopt);
    auto store = openStore();
    ASSERT_EQ(store->takeRequests().size(), 1U);
    store->answer(id, true, "queued");
    EXPECT_TRUE(readAnswer(file_, id)->first);
}

TEST_F(InboxTest, ARecreatedInboxIsNoticedAndItsNumbersAreNew) {
    auto store = storeWithRun();
    std::set<std::int64_t> ids;
    for (int round = 0; round < 5; ++round) {
        ids.insert(putRequest(file_, {0, "checkpoint", "", ""}));
        auto requests = store->takeRequests();
        ASSERT_EQ(requests.size(), 1U) << round;
        store->answer(requests[0].id, true, "");
        fs::remove(file_ + ".inbox");
        EXPECT_TRUE(store->takeRequests().empty());
    }
    EXPECT_EQ(ids.size(), 5U);
}

TEST_F(InboxTest, ADamagedInboxIsMovedAside) {
    auto store = storeWithRun();
    std::ofstream(file_ + ".inbox") << std::string(5000, 'x');
    EXPECT_TRUE(store->takeRequests().empty());
    EXPECT_TRUE(fs::exists(file_ + ".inbox.damaged"));
    EXPECT_THAT(store->inboxNotice(), HasSubstr("is damaged"));
    putRequest(file_, {0, "pause", "", ""});
    EXPECT_EQ(store->takeRequests().size(), 1U);
    EXPECT_EQ(store->inboxNotice(), "");
}

TEST_F(InboxTest, ARequestThatNobodyCanWaitForIsOnlyToBeRefused) {
    auto store = storeWithRun();
    constexpr double kHour = 3600;
    putRequest(file_, {0, "enqueue", "", "{}", unixTime() - kHour});
    putRequest(file_, {0, "enqueue", "", "{}", unixTime() + kHour});
    putRequest(file_, {0, "enqueue", "", "{}"});
    const auto requests = store->takeRequests();
    ASSERT_EQ(requests.size(), 3U);
    EXPECT_THAT(requests[0].refusal, HasSubstr("before the time of this machine"));
    EXPECT_THAT(requests[1].refusal, HasSubstr("after the time of this machine"));
    EXPECT_EQ(requests[2].refusal, "");
}

TEST_F(InboxTest, ALinkInItsPlaceIsNotFollowed) {
    auto store = storeWithRun();
    const std::string elsewhere = folder_ + "/elsewhere";
    putRequest(elsewhere, {0, "enqueue", "", "{}"});
    fs::create_symlink(elsewhere + ".inbox", file_ + ".inbox");
    EXPECT_TRUE(store->takeRequests().empty());
    EXPECT_THAT(store->inboxNotice(), HasSubstr("not a regular file"));
    EXPECT_TRUE(fs::is_symlink(file_ + ".inbox.foreign"));
}

TEST_F(InboxTest, RequestsOfAnotherUserAreNotExecuted) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    auto store = storeWithRun();
    putRequest(file_, {0, "enqueue", "", "{}"});
    constexpr uid_t kNobody = 65534;
    ASSERT_EQ(::chown((file_ + ".inbox").c_str(), kNobody, kNobody), 0);
    EXPECT_TRUE(store->takeRequests().empty());
    EXPECT_THAT(store->inboxNotice(), HasSubstr("another user (uid 65534)"));
    putRequest(file_, {0, "pause", "", ""});
    EXPECT_EQ(store->takeRequests().size(), 1U) << "a new one is in its place";
}

TEST_F(InboxTest, ARequestCarriesTheTimeAtWhichItWasMade) {
    auto store = storeWithRun();
    putRequest(file_, {0, "pause", "", "", 1234.5});
    putRequest(file_, {0, "pause", "", ""});
    const auto requests = store->takeRequests();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[0].at, 1234.5);
    EXPECT_GT(requests[1].at, 1.7e9);
}

TEST_F(InboxTest, ARequestIsWithdrawnUnlessAnOwnerHasTakenIt) {
    auto store = storeWithRun();
    EXPECT_FALSE(withdrawRequest(file_, 1)) << "there is no inbox";
    const auto early = putRequest(file_, {0, "pause", "", ""});
    EXPECT_TRUE(withdrawRequest(file_, early));
    EXPECT_FALSE(withdrawRequest(file_, early));
    EXPECT_TRUE(store->takeRequests().empty());
    const auto late = putRequest(file_, {0, "pause", "", ""});
    ASSERT_EQ(store->takeRequests().size(), 1U);
    EXPECT_FALSE(withdrawRequest(file_, late)) << "it is being carried out";
    store.reset();
    EXPECT_TRUE(withdrawRequest(file_, late)) << "its owner ended without an answer";
    EXPECT_TRUE(openStore()->takeRequests().empty());
}

TEST_F(InboxTest, AnAnsweredRequestLeavesNothingBehind) {
    auto store = storeWithRun();
    const auto id = putRequest(file_, {0, "pause", "", ""});
    ASSERT_EQ(store->takeRequests().size(), 1U);
    store->answer(id, true, "");
    EXPECT_FALSE(withdrawRequest(file_, id));
    EXPECT_TRUE(store->takeRequests().empty());
    putRequest(file_, {id, "pause", "", ""});  // the mark of the first must be gone
    EXPECT_TRUE(withdrawRequest(file_, id));
}

/// Requests are read on a thread of their own: a commit must not wait for a process that holds the inbox.
TEST_F(InboxTest, ACommitDoesNotWaitForTheInbox) {
    auto store = storeWithRun();
    const auto id = putRequest(file_, {0, "pause", "", ""});
    ASSERT_EQ(store->takeRequests().size(), 1U);
    SQLite::Database other(file_ + ".inbox", SQLite::OPEN_READWRITE);
    other.exec("BEGIN EXCLUSIVE");
    const auto began = std::chrono::steady_clock::now();
    store->answer(id, true, "paused");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
    EXPECT_EQ(readAnswer(file_, id), std::pair(true, std::string("paused")));
    other.exec("ROLLBACK");
    EXPECT_TRUE(store->takeRequests().empty());
    EXPECT_FALSE(withdrawRequest(file_, id)) << "it has left the inbox";
}

TEST_F(InboxTest, ManyProcessesAtOnce) {
    auto store = storeWithRun();
    constexpr int kProcesses = 6, kEach = 8;
    for (int process = 0; process < kProcesses; ++process)
        if (::fork() == 0) {
            try {
                for (int i = 0; i < kEach; ++i) putRequest(file_, {0, "note", "", std::to_string(process)});
            } catch (...) {
                ::_exit(1);
            }
            ::_exit(0);
        }
    std::set<std::int64_t> ids;
    int living = kProcesses, bad = 0;
    while (living > 0 || ids.size() < kProcesses * kEach) {
        for (const auto& request : store->takeRequests()) {
            EXPECT_TRUE(ids.insert(request.id).second);
            store->answer(request.id, true, "");
        }
        int status = 0;
        while (living > 0 && ::waitpid(-1, &status, WNOHANG) > 0) {
            --living;
            bad += endedWell(status) ? 0 : 1;
        }
        if (bad > 0 && living == 0) break;
        ::usleep(1000);
    }
    EXPECT_EQ(bad, 0);
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(kProcesses * kEach));
}

}  // namespace
}  // namespace heddle::storage
