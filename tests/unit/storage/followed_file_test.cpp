// SPDX-License-Identifier: Apache-2.0
#include "storage/database_report.h"
#include "storage/file_system.h"
#include "tests/eventually.h"
#include "tests/unit/storage/storage_fixture.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace heddle::storage {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FollowedFileTest : public StorageTest {
protected:
    void TearDown() override {
        overrideNetworkFileSystem(nullptr);
        StorageTest::TearDown();
    }
    /// As rsync does: a copy under another name, which then takes the name.
    void bring(const std::string& from) const {
        fs::copy_file(from, folder_ + "/.runs.heddle.Xy12", fs::copy_options::overwrite_existing);
        fs::rename(folder_ + "/.runs.heddle.Xy12", file_);
    }
    std::set<std::string> names() const {
        std::set<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder_)) all.insert(entry.path().filename().string());
        return all;
    }
};

TEST_F(FollowedFileTest, AFileThatRsyncReplacesIsReadAnew) {
    const std::string origin = folder_ + "/origin.heddle";
    RunStore::open(origin, {"test", 0})->addRun(runRecord("0123456789ab"));
    bring(origin);
    const auto first = RunQuery::open(file_), second = RunQuery::open(file_);
    const std::int64_t before = first->dataVersion();
    EXPECT_EQ(first->runs().size(), 1U);
    EXPECT_EQ(second->runs().size(), 1U);
    EXPECT_EQ(first->dataVersion(), before);
    RunStore::open(origin, {"test", 0})->addRun(runRecord("1123456789ab"));
    bring(origin);
    EXPECT_EQ(second->runs().size(), 1U) << "until it is asked for news";
    EXPECT_NE(first->dataVersion(), before);
    EXPECT_EQ(first->runs().size(), 2U);
    EXPECT_EQ(second->runs().size(), 1U) << "the other one still shows the file that it has open";
    second->dataVersion();
    EXPECT_EQ(second->runs().size(), 2U);
    EXPECT_EQ(first->runs().size(), 2U);
}

TEST_F(FollowedFileTest, AnOlderFileIsRefusedInsteadOfMixedWithTheNewer) {
    const std::string origin = folder_ + "/origin.heddle";
    RunStore::open(origin, {"test", 0})->addRun(runRecord("0123456789ab"));
    bring(origin);
    RunStore::open(file_, {"test", 0})->addRun(runRecord("1123456789ab"));
    const auto query = RunQuery::open(file_);
    query->dataVersion();
    query->revision();
    bring(origin);
    for (int i = 0; i < 2; ++i) {
        try {
            query->dataVersion();
            FAIL() << "not refused";
        } catch (const StorageError& error) {
            EXPECT_THAT(error.problem(), HasSubstr("older or another database"));
        }
    }
}

TEST_F(FollowedFileTest, AWriterOfAnotherMachineIsFollowedWithoutTouchingItsFiles) {
    auto store = storeWithRun();
    store->append(block(1, {1, 2, 3}));
    ASSERT_TRUE(fs::exists(file_ + "-wal"));
    overrideNetworkFileSystem([](const std::string&) { return true; });
    const auto files = names();
    const auto query = RunQuery::open(file_);
    EXPECT_THAT(query->notice(), HasSubstr("a copy is read"));
    std::int64_t version = query->dataVersion();
    EXPECT_EQ(query->points(kRun, "loss", "", 0, 99).size(), 3U) << "what is in the log alone";
    store->append(block(4, {4}));
    EXPECT_TRUE(eventually([&] { return query->dataVersion() != version; }));
    EXPECT_EQ(query->points(kRun, "loss", "", 0, 99).size(), 4U);
    version = query->dataVersion();
    store->checkpointWal();
    store->append(block(5, {5}));
    EXPECT_TRUE(eventually([&] { return query->dataVersion() != version; }));
    EXPECT_EQ(query->points(kRun, "loss", "", 0, 99).size(), 5U) << "after the log was begun anew";
    EXPECT_EQ(names(), files);
    store.reset();
    version = query->dataVersion();
    EXPECT_EQ(query->points(kRun, "loss", "", 0, 99).size(), 5U) << "after the writer has ended";
}

TEST_F(FollowedFileTest, ACopyThatIsOpenHasNoNamesThatCouldBeLeftBehind) {
    const auto store = storeWithRun();
    store->append(block(1, {1, 2, 3}));
    overrideNetworkFileSystem([](const std::string&) { return true; });
    const std::string temporary = folder_ + "/temporary";
    fs::create_directory(temporary);
    const char* const before = std::getenv("TMPDIR");
    const std::string restored = before == nullptr ? "" : before;
    ::setenv("TMPDIR", temporary.c_str(), 1);
    const auto query = RunQuery::open(file_);
    if (before == nullptr)
        ::unsetenv("TMPDIR");
    else
        ::setenv("TMPDIR", restored.c_str(), 1);
    EXPECT_THAT(query->notice(), HasSubstr("a copy is read"));
    EXPECT_TRUE(fs::is_empty(temporary));
    EXPECT_EQ(query->points(kRun, "loss", "", 0, 99).size(), 3U);
    EXPECT_EQ(reportOn(file_).journal, "wal") << "a report reads a copy, too";
}

}  // namespace
}  // namespace heddle::storage
