// SPDX-License-Identifier: Apache-2.0
#include "storage/trackio.h"

#include "storage/records.h"
#include "tests/unit/storage/storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace heddle::storage {
namespace {

constexpr const char* kMetrics = "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step, metrics);";

class TrackioTest : public StorageTest {
protected:
    /// The rows of a database made by statements, as "metrics 1 run name 0 1700000000 {…}".
    std::vector<std::string> rowsOf(const std::string& statements) const {
        SQLite::Database(file_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(statements);
        std::vector<std::string> rows;
        readTrackio(file_, [&](TrackioTable table, const TrackioRow& row) {
            rows.push_back((table == TrackioTable::Configs ? "configs " : "metrics ") + std::to_string(row.id) + " " + row.run +
                           " " + row.name + " " + std::to_string(row.step) + " " +
                           (std::isnan(row.time) ? "no time" : std::to_string(std::llround(row.time))) + " " + row.values);
        });
        return rows;
    }
};

TEST_F(TrackioTest, ReadsOldDatabasesWithoutIdsAndConfigs) {
    const auto rows = rowsOf(std::string(kMetrics) +
                             "INSERT INTO metrics VALUES (1, '2023-11-14T22:13:20', 'a', 7, '{}'),"
                             " (2, 'soon', 'b', 8, X'7B7D');");
    EXPECT_EQ(rows, (std::vector<std::string>{"metrics 1 a a 7 1700000000 {}", "metrics 2 b b 8 no time {}"}));
}

TEST_F(TrackioTest, ReadsConfigsFirst) {
    const auto rows = rowsOf(
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT);"
        "CREATE TABLE configs (id INTEGER PRIMARY KEY, run_id TEXT, run_name TEXT, config TEXT, created_at TEXT);"
        "INSERT INTO metrics VALUES (1, 'i1', '2023-11-14T22:13:20+00:00', 'a', 7, '{}');"
        "INSERT INTO configs VALUES (3, 'i1', 'a', '{\"lr\":1}', '2023-11-14T23:13:20+01:00');");
    EXPECT_EQ(rows, (std::vector<std::string>{"configs 3 i1 a 0 1700000000 {\"lr\":1}", "metrics 1 i1 a 7 1700000000 {}"}));
}

TEST_F(TrackioTest, RefusesStepsThatAreNoWholeNumbersAndOtherDatabases) {
    try {
        rowsOf(std::string(kMetrics) + "INSERT INTO metrics VALUES (4, '', 'a', 'x', '{}');");
        FAIL();
    } catch (const StorageError& error) {
        EXPECT_EQ(error.kind(), StorageError::Kind::Corrupt);
        EXPECT_NE(error.problem().find("row 4"), std::string::npos);
    }
    const std::string other = folder_ + "/other.db";
    SQLite::Database(other, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE metrics (id)");
    EXPECT_THROW(readTrackio(other, [](TrackioTable, const TrackioRow&) {}), StorageError);
}

TEST_F(TrackioTest, ReadsNoView) {
    EXPECT_THROW(rowsOf("CREATE VIEW metrics AS SELECT 1 AS id, '' AS timestamp, 'a' AS run_name, 1 AS step, '{}' AS metrics"),
                 StorageError);
}

}  // namespace
}  // namespace heddle::storage
