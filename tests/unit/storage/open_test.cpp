// SPDX-License-Identifier: Apache-2.0
#include "storage/connection.h"
#include "storage/file_system.h"
#include "storage/schema.h"
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace heddle::storage {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Kind = StorageError::Kind;
namespace fs = std::filesystem;

class OpenTest : public StorageTest {
protected:
    std::string pragma(const char* name) {
        SQLite::Database database(file_, SQLite::OPEN_READONLY);
        SQLite::Statement row(database, std::string("PRAGMA ") + name);
        return row.executeStep() ? row.getColumn(0).getString() : "";
    }
    std::string bytesOf(const std::string& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void expectRefusedUntouched(Kind kind) {
        std::string before = fs::is_regular_file(file_) ? bytesOf(file_) : "";
        auto writing = errorOf([&] { openStore(); });
        ASSERT_TRUE(writing);
        EXPECT_EQ(writing->kind(), kind) << writing->what();
        EXPECT_FALSE(writing->next().empty());
        auto reading = errorOf([&] { RunQuery::open(file_); });
        ASSERT_TRUE(reading);
        EXPECT_EQ(reading->kind(), kind) << reading->what();
        EXPECT_EQ(fs::is_regular_file(file_) ? bytesOf(file_) : "", before);
    }
};

TEST_F(OpenTest, ANewFileIsARunDatabaseAtOnce) {
    auto store = openStore();
    EXPECT_THAT(store->notice(), IsEmpty());
    EXPECT_EQ(store->file(), file_);
    EXPECT_EQ(inspect(file_), FileKind::RunDatabase);
    EXPECT_EQ(pragma("application_id"), std::to_string(0x4844444c));
    EXPECT_EQ(pragma("user_version"), std::to_string(schemaVersion()));
    EXPECT_EQ(pragma("page_size"), "16384");
    EXPECT_EQ(pragma("journal_mode"), "wal");
    EXPECT_EQ(pragma("auto_vacuum"), "2");
    EXPECT_EQ(bytesOf(file_).substr(68, 4), "HDDL");
}

TEST_F(OpenTest, LookingAtAFileDropsNoLockOfThisProcess) {
    auto store = openStore();
    const auto reader = RunQuery::open(file_);
    reader->revision();
    const auto lockedForOthers = [&] {
        const pid_t other = fork();
        if (other == 0) {  // locks of a process are no locks to itself
            struct flock ask {};
            ask.l_type = F_WRLCK;
            ask.l_start = 0x40000002;  // SQLite's shared range
            ask.l_len = 510;
            const int fd = ::open(file_.c_str(), O_RDWR);
            _exit(::fcntl(fd, F_GETLK, &ask) == 0 && ask.l_type != F_UNLCK ? 0 : 1);
        }
        int status = 1;
        ::waitpid(other, &status, 0);
        return status == 0;
    };
    ASSERT_TRUE(lockedForOthers());
    EXPECT_EQ(inspect(file_), FileKind::RunDatabase);
    RunQuery::open(file_);
    EXPECT_TRUE(lockedForOthers());
}

TEST_F(OpenTest, EveryTableIsStrict) {
    openStore();
    SQLite::Database database(file_, SQLite::OPEN_READONLY);
    SQLite::Statement rows(
        database,
        "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE "
        "'sqlite%'");
    int tables = 0;
    while (rows.executeStep()) {
        ++tables;
        EXPECT_EQ(rows.getColumn(1).getInt(), 1) << rows.getColumn(0).getString();
    }
    EXPECT_GE(tables, 15);
}

TEST_F(OpenTest, AnEmptyFileBecomesADatabase) {
    std::ofstream{file_};
    EXPECT_EQ(kindOf([&] { RunQuery::open(file_); }), Kind::NoDatabase);
    storeWithRun();
    EXPECT_EQ(RunQuery::open(file_)->runs().size(), 1U);
}

TEST_F(OpenTest, AMissingFileIsNotFoundByReadersAndNotMade) {
    EXPECT_EQ(kindOf([&] { RunQuery::open(file_); }), Kind::NoDatabase);
    EXPECT_FALSE(fs::exists(file_));
    auto folder = errorOf([&] { RunStore::open(folder_ + "/no/such/runs.heddle", {"test", 0}); });
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->kind(), Kind::InputOutput);
    EXPECT_THAT(folder->what(), HasSubstr("folder"));
}

TEST_F(OpenTest, AnotherProgramsDatabaseIsLeftUntouched) {
    for (const char* setting : {"PRAGMA application_id = 1", "PRAGMA journal_mode = WAL"}) {
        fs::remove(file_);
        {
            SQLite::Database other(file_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            SQLite::Statement(other, setting).executeStep();
            other.exec("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')");
        }
        expectRefusedUntouched(Kind::NotADatabase);
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
        EXPECT_EQ(names, std::vector<std::string>{"runs.heddle"}) << "no lock, journal or inbox beside it";
    }
}

TEST_F(OpenTest, WhatIsNoDatabaseIsRefused) {
    std::ofstream(file_) << "loss,step\n1,2\n";
    expectRefusedUntouched(Kind::NotADatabase);
    std::ofstream(file_) << "SQLite format 3";  // cut off
    expectRefusedUntouched(Kind::NotADatabase);
    std::ofstream(file_) << std::string(100000, 'x');
    expectRefusedUntouched(Kind::NotADatabase);
    fs::remove(file_);
    fs::create_directory(file_);
    expectRefusedUntouched(Kind::NotADatabase);
    fs::remove(file_);
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    EXPECT_EQ(kindOf([&] { RunQuery::open(file_); }), Kind::NotADatabase);  // returns at once
}

TEST_F(OpenTest, ANewerSchemaIsRefusedWithClearText) {
    storeWithRun();
    {
        SQLite::Database database(file_, SQLite::OPEN_READWRITE);
        database.exec("PRAGMA user_version = 999");
    }
    auto writing = errorOf([&] { openStore(); });
    auto reading = errorOf([&] { RunQuery::open(file_); });
    for (const auto& error : {writing, reading}) {
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), Kind::NewerSchema);
        EXPECT_THAT(error->what(), HasSubstr("999"));
        EXPECT_THAT(error->next(), HasSubstr("newer version of Heddle"));
    }
}

TEST_F(OpenTest, WhatIsNotOfItsSchemaIsNoFaultOfHeddle) {
    storeWithRun();
    const auto whenChanged = [&](const char* sql) {
        SQLite::Database(file_, SQLite::OPEN_READWRITE).exec(sql);
        return std::array{errorOf([&] { RunQuery::open(file_)->runs(); }), errorOf([&] { openStore()->begin(); })};
    };
    for (const auto& error : whenChanged("PRAGMA user_version = -5")) {
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), Kind::Corrupt);
        EXPECT_THAT(error->what(), HasSubstr("schema -5"));
    }
    for (const auto& error : whenChanged("PRAGMA user_version = 3; DROP TABLE meta")) {
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), Kind::Corrupt) << error->what();
        EXPECT_THAT(error->next(), HasSubstr("restore a copy"));
    }
}

// Before: "constraint failed", and the advice to report it as a fault of Heddle. Only damage leads to such rows.
TEST_F(OpenTest, ARowThatRefersToNothingIsDamage) {
    storeWithRun();
    Connection connection(file_, Connection::Mode::Write);
    const auto error = errorOf([&] {
        connection.guarded([&] {
            connection.execute(
                "INSERT INTO event (run, attempt, step, seconds, at, kind, text, data, rev) "
                "VALUES (77, 1, 0, 0, 0, 'x', 'y', '', 1)");
        });
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), Kind::Corrupt) << error->what();
}

TEST_F(OpenTest, AnUnfinishedCreationIsTakenUp) {
    for (int round = 0; round < 25; ++round) {
        fs::remove(file_);
        pid_t child = ::fork();
        if (child == 0) {
            auto store = openStore();
            ::pause();
        }
        ::usleep(static_cast<useconds_t>(1000 + 2500 * round));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        ASSERT_EQ(errorOf([&] { storeWithRun(); }), std::nullopt) << round;
        ASSERT_EQ(RunQuery::open(file_)->runs().size(), 1U);
        for (const char* rest : {"-wal", "-shm", "-journal"}) fs::remove(file_ + rest);
    }
}

TEST_F(OpenTest, StepsOfTheSchemaRunInOneTransaction) {
    Connection connection(file_, Connection::Mode::Write);
    constexpr std::array kFirst{"CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)"};
    applySchema(connection, kFirst);
    EXPECT_EQ(schemaOf(connection), 1);

    constexpr std::array kBroken{kFirst[0], "INSERT INTO a VALUES (2)", "INSERT INTO nowhere VALUES (3)"};
    EXPECT_THROW(applySchema(connection, kBroken), StorageError);
    EXPECT_EQ(schemaOf(connection), 1);
    EXPECT_EQ(connection.pragma("SELECT count(*) FROM a"), 1);

    std::string copy = backUp(connection, file_);
    EXPECT_EQ(copy, file_ + ".bak-v1");
    constexpr std::array kThree{kFirst[0], "INSERT INTO a VALUES (2)", "INSERT INTO a VALUES (3)"};
    applySchema(connection, kThree);
    EXPECT_EQ(schemaOf(connection), 3);
    EXPECT_EQ(connection.pragma("SELECT count(*) FROM a"), 3);
    applySchema(connection, kThree);  // nothing left to do
    EXPECT_EQ(connection.pragma("SELECT count(*) FROM a"), 3);

    Connection backup(copy, Connection::Mode::Read);
    EXPECT_EQ(schemaOf(backup), 1);
    EXPECT_EQ(backup.pragma("SELECT count(*) FROM a"), 1);
    EXPECT_EQ(inspect(copy), FileKind::RunDatabase);
    EXPECT_FALSE(fs::exists(copy + ".tmp"));
}

TEST_F(OpenTest, ABackupReplacesAnOlderOneOnlyWhenWhole) {
    auto store = storeWithRun();
    Connection connection(file_, Connection::Mode::Write);
    const std::string copy = file_ + ".bak-v" + std::to_string(schemaVersion());
    std::ofstream{copy} << "older";
    std::ofstream(copy + ".tmp") << "left by a crash";
    backUp(connection, file_);
    EXPECT_EQ(inspect(copy), FileKind::RunDatabase);
    EXPECT_EQ(RunQuery::open(copy)->runs().size(), 1U);
}

TEST_F(OpenTest, ADatabaseOfTheFirstSchemaIsBroughtUpToDateByWhoOpensIt) {
    {
        Connection connection(file_, Connection::Mode::Write);
        applySchema(connection, schemaFiles().first(1));
        connection.execute(
            "INSERT INTO run VALUES (1, '0123456789ab', 'eau', 'queued', '', '{}', '', '', 1, 1000.5, 0, 0, 0, 0, 0, 0.0, '',"
            " '', '[]', NULL, 1)");
    }
    const auto run = RunQuery::open(file_)->run("0123456789ab");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->queued, 1000.5) << "waiting runs keep their order";
    EXPECT_EQ(pragma("user_version"), std::to_string(schemaVersion()));
    Connection before(file_ + ".bak-v1", Connection::Mode::Read);
    EXPECT_EQ(schemaOf(before), 1);
}

// Before: every command that opened such a file left a copy beside it.
TEST_F(OpenTest, ADatabaseThatCannotBeBroughtUpToDateIsLeftAsItWas) {
    storeWithRun();
    SQLite::Database(file_, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 1");  // whose tables are those of a newer one
    const auto reading = errorOf([&] { RunQuery::open(file_)->runs(); }), writing = errorOf([&] { openStore()->begin(); });
    for (const auto& error : {reading, writing}) {
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind(), Kind::Corrupt) << error->what();
    }
    EXPECT_EQ(pragma("user_version"), "1");
    EXPECT_FALSE(fs::exists(file_ + ".bak-v1"));
}

TEST_F(OpenTest, LinksLeadToTheSameDatabase) {
    auto store = storeWithRun();
    std::string link = folder_ + "/link.heddle";
    fs::create_symlink(file_, link);
    EXPECT_EQ(RunQuery::open(link)->runs().size(), 1U);
    EXPECT_EQ(kindOf([&] { RunStore::open(link, {"second", 0}); }), Kind::Locked);
    EXPECT_EQ(artifactFolder(link), file_ + ".d");
    EXPECT_EQ(artifactFolder("runs.heddle"), "runs.heddle.d");
}

TEST_F(OpenTest, ADatabaseWithTwoNamesIsReadAndNotWritten) {
    storeWithRun().reset();
    fs::create_hard_link(file_, folder_ + "/backup.heddle");
    for (const std::string& name : {file_, folder_ + "/backup.heddle"}) {
        const auto error = errorOf([&] { RunStore::open(name, {"test", 0}); });
        ASSERT_TRUE(error) << name;
        EXPECT_THAT(error->what(), HasSubstr("2 hard links"));
        EXPECT_EQ(RunQuery::open(name)->runs().size(), 1U);
    }
    fs::remove(folder_ + "/backup.heddle");
    EXPECT_FALSE(errorOf([&] { openStore(); }));
}

TEST_F(OpenTest, FilesOfADatabaseAreForTheirOwnerAlone) {
    const auto store = storeWithRun();
    putRequest(file_, {0, "pause", "", ""});
    for (const char* suffix : {"", "-wal", "-shm", ".lock", ".inbox"})
        EXPECT_EQ(fs::status(file_ + suffix).permissions(), fs::perms::owner_read | fs::perms::owner_write) << suffix;
}

TEST_F(OpenTest, AwkwardNamesWork) {
    for (const char* name : {"with space.heddle", "über#?%41.heddle", "file:x.heddle", "quote'\".heddle"}) {
        std::string file = folder_ + "/" + name;
        RunStore::open(file, {"test", 0})->addRun(runRecord("0123456789ab"));
        EXPECT_TRUE(fs::exists(file)) << name;
        EXPECT_EQ(RunQuery::open(file)->runs().size(), 1U) << name;
        Connection connection(realFile(file), Connection::Mode::Immutable);
        EXPECT_EQ(connection.pragma("SELECT count(*) FROM run"), 1) << name;
    }
}

TEST_F(OpenTest, OnANetworkFileSystemThereIsNoWalAndAWarning) {
    overrideNetworkFileSystem([](const std::string&) { return true; });
    {
        auto store = storeWithRun();
        EXPECT_THAT(store->notice(), HasSubstr("network file system"));
        store->append(block(1, ramp(5000)));
        store->begin();
        store->append(block(5001, ramp(10, 5000)));
        store->commit(RunStore::Durability::Full);
        store->checkpointWal();
        EXPECT_EQ(pragma("journal_mode"), "delete");
        EXPECT_FALSE(fs::exists(file_ + "-wal"));
        auto query = RunQuery::open(file_);
        EXPECT_THAT(query->notice(), HasSubstr("network file system"));
        EXPECT_EQ(query->points("0123456789ab", "loss", "", 0, 9999).size(), 5010U);
    }
    overrideNetworkFileSystem(nullptr);
    openStore();
    EXPECT_EQ(pragma("journal_mode"), "wal");  // moved to a local disk: as everywhere
    overrideNetworkFileSystem([](const std::string&) { return true; });
    openStore();
    EXPECT_EQ(pragma("journal_mode"), "delete");
    overrideNetworkFileSystem(nullptr);
}

TEST_F(OpenTest, WhereTheFolderIsReadOnlyItIsOpenedImmutableAndSaysSo) {
    storeWithRun()->append(block(1, ramp(100)));
    for (const char* rest : {"-wal", "-shm"}) fs::remove(file_ + rest);
    ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
    ASSERT_EQ(::chmod(file_.c_str(), 0444), 0);
    int status = inChild([&] {
        constexpr uid_t kNobody = 65534;
        if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 3;
        auto query = RunQuery::open(file_);
        if (query->notice().find("not writable") == std::string::npos) return 4;
        if (query->points("0123456789ab", "loss", "", 0, 1000).size() != 100) return 5;
        auto error = errorOf([&] { openStore(); });
        return error && error->kind() == Kind::InputOutput ? 0 : 6;
    });
    ::chmod(folder_.c_str(), 0755);
    EXPECT_TRUE(endedWell(status)) << WEXITSTATUS(status);
    EXPECT_FALSE(fs::exists(file_ + "-shm"));
    EXPECT_THAT(RunQuery::open(file_)->notice(), IsEmpty());
}

TEST_F(OpenTest, ReadersLeaveTheDatabaseAsItIs) {
    storeWithRun();
    std::string before = bytesOf(file_);
    RunQuery::open(file_)->runs();
    EXPECT_EQ(bytesOf(file_), before);
}

TEST_F(OpenTest, AReaderSeesALiveWriterAndDoesNotHoldTheLogBack) {
    auto store = storeWithRun();
    auto query = RunQuery::open(file_);
    for (int round = 0; round < 40; ++round) {
        store->append(block(1 + round * 10000, ramp(10000)));
        ASSERT_EQ(query->points("0123456789ab", "loss", "", 1 + round * 10000, (round + 1) * 10000).size(), 10000U);
        store->checkpointWal();
    }
    EXPECT_LT(fs::file_size(file_ + "-wal"), 4U << 20);  // reused from the start each round: no reader kept a snapshot
}

TEST_F(OpenTest, TheLogStaysBoundedWithoutAnIdleMoment) {
    auto store = storeWithRun();
    for (int round = 0; round < 120; ++round) store->append(block(1 + round * 100000, ramp(100000)));  // 60 MB
    EXPECT_LT(fs::file_size(file_ + "-wal"), 48U << 20);
}

}  // namespace
}  // namespace heddle::storage
