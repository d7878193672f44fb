// SPDX-License-Identifier: Apache-2.0
#include "storage_fixture.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>

namespace heddle::storage {
namespace {

using testing::HasSubstr;
using Kind = StorageError::Kind;

namespace fs = std::filesystem;
using WriterLockTest = StorageTest;

TEST_F(WriterLockTest, TheSecondWriterIsToldWhoTheFirstIs) {
    EXPECT_TRUE(currentOwner(file_).empty());
    {
        auto store = RunStore::open(file_, {"heddle train", 0});
        const std::string self = "heddle train, pid " + std::to_string(::getpid());
        EXPECT_THAT(currentOwner(file_).text(), testing::StartsWith(self + " on "));
        EXPECT_THAT(currentOwner(file_).text(), HasSubstr("since 20"));
        auto error = errorOf([&] { openStore(); });
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), Kind::Locked);
        EXPECT_THAT(error->what(), HasSubstr(self));
        EXPECT_EQ(error->where(), file_);
        store->addRun(runRecord("0123456789ab"));  // undisturbed
    }
    EXPECT_TRUE(currentOwner(file_).empty());
    EXPECT_EQ(openStore()->file(), file_);
}

TEST_F(WriterLockTest, AnOwnerIsKnownByItsProcessAndHost) {
    auto store = RunStore::open(file_, {"a rapid trainer on a node", 0});
    Owner owner = currentOwner(file_);
    EXPECT_EQ(owner.program, "a rapid trainer on a node");
    EXPECT_EQ(owner.pid, ::getpid());
    EXPECT_TRUE(owner.isThisProcess());
    EXPECT_EQ(Owner::parse(owner.text()), owner);
    Owner elsewhere = owner;
    elsewhere.host += "2";
    EXPECT_FALSE(elsewhere.isThisProcess()) << "the same number on another machine";
    owner.pid = std::stoll(std::to_string(owner.pid) + "0");
    EXPECT_FALSE(Owner::parse(owner.text()).isThisProcess()) << "its number only begins with ours";
}

TEST_F(WriterLockTest, ATextOfAnotherFormIsTheProgram) {
    for (const std::string text : {"another program", "x, pid 12", "x, pid twelve on host, since now",
                                   "x, pid -12 on host, since now", ", pid 3 on h, since t"}) {
        EXPECT_EQ(Owner::parse(text).text(), text);
        EXPECT_FALSE(Owner::parse(text).isThisProcess());
    }
}

TEST_F(WriterLockTest, AKilledOwnerLeavesNoLock) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    pid_t child = ::fork();
    if (child == 0) {
        auto store = openStore();
        [[maybe_unused]] auto written = ::write(ready[1], "x", 1);
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(currentOwner(file_).pid, child);
    EXPECT_EQ(kindOf([&] { openStore(); }), Kind::Locked);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(currentOwner(file_).empty());
    EXPECT_EQ(openStore()->file(), file_);
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_F(WriterLockTest, WaitsForTheOwnerToEnd) {
    pid_t child = ::fork();
    if (child == 0) {
        {
            auto store = openStore();
            ::usleep(400000);
        }
        ::_exit(0);
    }
    while (currentOwner(file_).empty()) ::usleep(1000);
    auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(kindOf([&] { RunStore::open(file_, {"second", 0.05}); }), Kind::Locked);
    auto store = RunStore::open(file_, {"second", 30});
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(50));
    EXPECT_EQ(currentOwner(file_).program, "second");
    ::waitpid(child, nullptr, 0);
}

/// Two processes start at the same moment, 200 times: exactly one writes at a time, the other is told so or comes after it.
TEST_F(WriterLockTest, TwoProcessesRacing) {
    storeWithRun();
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
        int start[2], result[2];
        ASSERT_EQ(::pipe(start), 0);
        ASSERT_EQ(::pipe(result), 0);
        pid_t children[2];
        for (pid_t& child : children) {
            child = ::fork();
            if (child != 0) continue;
            char byte = 0;
            ::close(start[1]);
            ::close(result[1]);
            [[maybe_unused]] auto got = ::read(start[0], &byte, 1);  // returns when the parent closes its end
            try {
                [[maybe_unused]] const auto store = openStore();
                // Holds the lock until both have tried.
                [[maybe_unused]] auto waited = ::read(result[0], &byte, 1);
                ::_exit(0);
            } catch (const StorageError& error) {
                bool told = error.kind() == Kind::Locked && std::string(error.what()).find("SQLITE") == std::string::npos;
                ::_exit(told ? 1 : 2);
            }
        }
        ::close(start[0]);
        ::close(result[0]);
        ::close(start[1]);  // go
        int status = 0;
        pid_t loser = ::wait(&status);  // the winner waits for our word
        ASSERT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 1) << round;
        ::close(result[1]);
        ::waitpid(loser == children[0] ? children[1] : children[0], &status, 0);
        EXPECT_TRUE(endedWell(status)) << round;
    }
    EXPECT_EQ(RunQuery::open(file_)->runs().size(), 1U);
}

/// Others who can read the file could hold a lock on it and keep every writer out.
TEST_F(WriterLockTest, NobodyElseMayOpenTheLock) {
    std::ofstream(file_ + ".lock") << "";
    fs::permissions(file_ + ".lock", fs::perms::others_read | fs::perms::group_read, fs::perm_options::add);
    const auto store = openStore();
    EXPECT_EQ(fs::status(file_ + ".lock").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace
}  // namespace heddle::storage
