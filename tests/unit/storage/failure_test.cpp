// SPDX-License-Identifier: Apache-2.0
#include "failing_sync.h"
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

namespace heddle::storage {
namespace {

using Kind = StorageError::Kind;
namespace fs = std::filesystem;

/// Each test runs in a child process: file size limits and mounts end with it. Exit status 0 is success, else the line.
#define REQUIRE(condition) \
    if (!(condition)) return __LINE__ % 251 + 1

class FailureTest : public StorageTest {
protected:
    static bool limitFileSize(rlim_t bytes) {
        rlimit limit{bytes, RLIM_INFINITY};
        return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    }
    bool isSound() {
        SQLite::Database database(file_, SQLite::OPEN_READWRITE);
        SQLite::Statement check(database, "PRAGMA integrity_check");
        return check.executeStep() && check.getColumn(0).getString() == "ok";
    }
    /// Appends blocks of 10,000 values in transactions until it fails; returns how many values were acknowledged.
    static std::size_t fill(RunStore& store, std::size_t from, Kind& kind) {
        for (std::size_t n = from;; n += 10000) {
            try {
                store.begin();
                store.append(block(1 + static_cast<std::int64_t>(n), ramp(10000, static_cast<float>(n))));
                store.commit(RunStore::Durability::Full);
            } catch (const StorageError& error) {
                kind = error.kind();
                return n;
            }
            if (n > 50000000) return 0;  // never full
        }
    }
    static void expectExit(int status) { EXPECT_TRUE(endedWell(status)) << "line modulo 251: " << WEXITSTATUS(status) - 1; }
};

TEST_F(FailureTest, AFileSizeLimitLosesNothingThatWasAcknowledged) {
    for (rlim_t limit : {rlim_t{1} << 20, rlim_t{1} << 21, (rlim_t{1} << 22) + 12345}) {
        fs::remove(file_);
        expectExit(inChild([&]() -> int {
            std::signal(SIGXFSZ, SIG_IGN);
            auto store = storeWithRun();
            REQUIRE(limitFileSize(limit));
            Kind kind = Kind::Invalid;
            std::size_t acknowledged = fill(*store, 0, kind);
            REQUIRE(kind == Kind::Full || kind == Kind::InputOutput);
            REQUIRE(acknowledged > 0);
            REQUIRE(lossPoints().size() == acknowledged);
            auto error = errorOf([&] { store->append(block(1 + static_cast<std::int64_t>(acknowledged), ramp(100000))); });
            REQUIRE(error && (error->kind() == Kind::Full || error->kind() == Kind::InputOutput));

            REQUIRE(limitFileSize(RLIM_INFINITY));  // room again: the same store goes on
            store->append(block(1 + static_cast<std::int64_t>(acknowledged), ramp(50000, static_cast<float>(acknowledged))));
            auto points = lossPoints();
            REQUIRE(points.size() == acknowledged + 50000);
            for (std::size_t i = 0; i < points.size(); ++i) REQUIRE(points[i].value == static_cast<float>(i));
            store.reset();
            REQUIRE(isSound());
            return 0;
        }));
    }
}

TEST_F(FailureTest, AFullDisk) {
    if (::geteuid() != 0) GTEST_SKIP() << "a tmpfs can only be mounted as root; the file size limit stands in for it";
    std::string disk = folder_ + "/disk";
    fs::create_directory(disk);
    if (::mount("heddle-test", disk.c_str(), "tmpfs", 0, "size=4m") != 0)
        GTEST_SKIP() << "mounting a tmpfs is not allowed here";
    file_ = disk + "/runs.heddle";
    int status = inChild([&]() -> int {
        auto store = storeWithRun();
        Kind kind = Kind::Invalid;
        std::ofstream ballast(disk + "/ballast");
        ballast << std::string(1 << 20, 'x') << std::flush;
        std::size_t acknowledged = fill(*store, 0, kind);
        REQUIRE(kind == Kind::Full);
        REQUIRE(acknowledged > 0);
        REQUIRE(lossPoints().size() == acknowledged);
        REQUIRE(errorOf([&] { store->setState("0123456789ab", "paused", std::string(1 << 20, 'x')); })->kind() == Kind::Full);
        ballast.close();
        fs::remove(disk + "/ballast");
        store->append(block(1 + static_cast<std::int64_t>(acknowledged), ramp(1000, static_cast<float>(acknowledged))));
        store->setState("0123456789ab", "running", "");
        REQUIRE(lossPoints().size() == acknowledged + 1000);
        store.reset();
        REQUIRE(isSound());
        return 0;
    });
    int full = inChild([&]() -> int {  // a new database on a disk that is full
        std::ofstream ballast(disk + "/ballast");
        ballast << std::string(8 << 20, 'x');
        ballast.close();
        auto error = errorOf([&] { RunStore::open(disk + "/other.heddle", {"test", 0}); });
        REQUIRE(error && error->kind() == Kind::Full);
        fs::remove(disk + "/ballast");
        REQUIRE(!errorOf([&] { RunStore::open(disk + "/other.heddle", {"test", 0}); }));
        return 0;
    });
    ::umount2(disk.c_str(), MNT_DETACH);
    expectExit(status);
    expectExit(full);
}

TEST_F(FailureTest, WhatTheDiskDoesNotConfirmIsThereOnceAndIsWrittenAgain) {
    const FailingSync disk;
    auto store = storeWithRun();
    store->checkpointWal();
    const auto add = [&](std::int64_t step) {
        store->begin();
        store->append(block(step, ramp(10)));
        store->setState("0123456789ab", "running", "");
        store->commit(RunStore::Durability::Full);
    };
    add(1);
    EXPECT_TRUE(store->isConfirmed());
    disk.fail(1);
    EXPECT_NO_THROW(add(11)) << "it is committed: who hears that it is not would do it twice";
    EXPECT_FALSE(store->isConfirmed());
    EXPECT_EQ(lossPoints().size(), 20U);
    disk.fail(1000);
    const auto error = errorOf([&] { store->checkpointWal(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), Kind::InputOutput);
    EXPECT_FALSE(store->isConfirmed());
    disk.fail(0);
    store->checkpointWal();
    EXPECT_TRUE(store->isConfirmed());
    EXPECT_EQ(fs::file_size(file_ + "-wal"), 0U) << "after a power failure the lost pages would hide what follows them";
    add(21);
    EXPECT_EQ(lossPoints().size(), 30U);
}

TEST_F(FailureTest, AFolderThatCannotBeWritten) {
    expectExit(inChild([&]() -> int {
        constexpr uid_t kNobody = 65534;
        REQUIRE(::chmod(folder_.c_str(), 0555) == 0);
        if (::geteuid() == 0) REQUIRE(::setuid(kNobody) == 0);
        auto error = errorOf([&] { openStore(); });
        REQUIRE(error && error->kind() == Kind::InputOutput);
        REQUIRE(!error->next().empty());
        return 0;
    }));
    ::chmod(folder_.c_str(), 0755);
}

}  // namespace
}  // namespace heddle::storage
