// SPDX-License-Identifier: Apache-2.0
// The database's account of itself, and the check of the whole file.
#include "storage/database_report.h"
#include "storage/schema.h"
#include "storage_fixture.h"

#include <sqlite3.h>

#include <algorithm>

namespace heddle::storage {
namespace {

class DatabaseReportTest : public StorageTest {
protected:
    void SetUp() override {
        StorageTest::SetUp();
        auto store = storeWithRun();
        store->append(block(1, ramp(5000)));
        HistogramRecord histogram;
        histogram.run = "0123456789ab";
        histogram.name = "gate";
        histogram.bins = {1, 2};
        store->add(histogram);
        store->add(EvaluationRecord{"0123456789ab", 1, 100, 1, "valid", "loss", "sig", 1.5, 10, 0.5});
    }
    void spoil(const char* sql) const {
        sqlite3* handle = nullptr;
        ASSERT_EQ(sqlite3_open(file_.c_str(), &handle), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
        sqlite3_close(handle);
    }
};

TEST_F(DatabaseReportTest, SaysWhatIsInTheFileAndWhatTakesTheRoom) {
    const auto report = reportOn(file_);
    EXPECT_EQ(report.schema, schemaVersion());
    EXPECT_EQ(report.journal, "wal");
    EXPECT_EQ(report.runs, 1);
    EXPECT_EQ(report.points, 5000);
    EXPECT_EQ(report.histograms, 1);
    EXPECT_EQ(report.evaluations, 1);
    EXPECT_GT(report.created, 1.7e9);
    EXPECT_EQ(report.fileBytes, std::filesystem::file_size(file_));
    EXPECT_TRUE(report.owner.empty());
    std::uint64_t sum = 0;
    for (const auto& use : report.use) sum += use.bytes;
    EXPECT_GE(report.fileBytes, sum);
    EXPECT_GT(sum, report.fileBytes / 2);
    const auto series =
        std::find_if(report.use.begin(), report.use.end(), [](const auto& use) { return use.kind == "series"; });
    ASSERT_NE(series, report.use.end());
    EXPECT_GE(series->bytes, 20000U) << "5,000 values of 4 bytes";
}

TEST_F(DatabaseReportTest, NamesTheOwnerWhileThereIsOne) {
    const auto store = openStore();
    EXPECT_EQ(reportOn(file_).owner.program, "test");
}

TEST_F(DatabaseReportTest, AWholeDatabaseIsFoundWhole) {
    std::int64_t asked = 0;
    const auto result = verifyDatabase(file_, [&](std::int64_t, std::int64_t total) {
        ++asked;
        return total == 1;
    });
    EXPECT_TRUE(result.problems.empty()) << result.problems.front();
    EXPECT_EQ(result.records, 6) << "a run, two chunks of a series, a histogram, an evaluation";
    EXPECT_EQ(result.damaged, 0);
    EXPECT_EQ(asked, 1);
}

TEST_F(DatabaseReportTest, DamagedRecordsAreCountedAndNamed) {
    spoil("UPDATE chunk SET data = zeroblob(length(data)) WHERE first_step = 1");
    spoil("UPDATE histogram SET data = zeroblob(length(data))");
    const auto result = verifyDatabase(file_, {});
    EXPECT_EQ(result.damaged, 2);
    ASSERT_EQ(result.problems.size(), 2U);
    EXPECT_NE(result.problems[0].find("histogram"), std::string::npos);
    EXPECT_NE(result.problems[1].find("loss"), std::string::npos);
}

/// What has no checksum, though v_points shows other values or none when it is changed.
TEST_F(DatabaseReportTest, ChangesOfWhatTheViewsDecodeWithAreFound) {
    for (const char* sql :
         {"UPDATE chunk SET codec = 'f33'", "UPDATE lookup_byte SET value = 7 WHERE value = 8",
          "UPDATE lookup_exponent SET factor = 2 * factor WHERE bits = 127", "DELETE FROM lookup_position WHERE i = 4095",
          "INSERT INTO lookup_position VALUES (4096)", "DROP VIEW v_samples"}) {
        TearDown();
        SetUp();
        EXPECT_TRUE(verifyDatabase(file_, {}).problems.empty());
        spoil(sql);
        EXPECT_EQ(verifyDatabase(file_, {}).problems.size(), 1U) << sql;
    }
}

TEST_F(DatabaseReportTest, ACheckCanBeGivenUp) {
    EXPECT_TRUE(verifyDatabase(file_, [](std::int64_t, std::int64_t) { return false; }).cancelled);
}

TEST_F(DatabaseReportTest, AnotherFileIsRefused) {
    std::ofstream(folder_ + "/text.heddle") << "not a database";
    EXPECT_THROW(reportOn(folder_ + "/text.heddle"), StorageError);
    EXPECT_THROW(verifyDatabase(folder_ + "/missing.heddle", {}), StorageError);
}

}  // namespace
}  // namespace heddle::storage
