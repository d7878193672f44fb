// SPDX-License-Identifier: Apache-2.0
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <regex>
#include <set>

namespace heddle::storage {
namespace {

using testing::ElementsAre;

/// The views as other programs use them: a plain connection, some of them with schemas distrusted.
class ViewsTest : public StorageTest {
protected:
    std::vector<std::string> rows(const std::string& sql) {
        SQLite::Database database(file_, SQLite::OPEN_READONLY);
        sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        SQLite::Statement statement(database, sql);
        std::vector<std::string> found;
        while (statement.executeStep()) {
            std::string row;
            for (int i = 0; i < statement.getColumnCount(); ++i) {
                if (i > 0) row += '|';
                row += statement.isColumnNull(i) ? "NULL" : statement.getColumn(i).getString();
            }
            found.push_back(row);
        }
        return found;
    }
    /// Compares every value of the curve in the view with the C++ reader, bit by bit.
    void expectViewEqualsReader() {
        auto points = lossPoints(INT64_MIN);
        SQLite::Database database(file_, SQLite::OPEN_READONLY);
        SQLite::Statement row(database,
                              "SELECT step, value, attempt FROM v_curve WHERE run = ? AND name = 'loss' ORDER BY step");
        row.bind(1, "0123456789ab");
        for (const auto& point : points) {
            ASSERT_TRUE(row.executeStep());
            ASSERT_EQ(row.getColumn(0).getInt64(), point.step);
            ASSERT_EQ(row.getColumn(2).getInt64(), point.attempt);
            if (std::isnan(point.value)) {
                ASSERT_TRUE(row.isColumnNull(1)) << point.step;
                continue;
            }
            ASSERT_EQ(row.getColumn(1).getType(), SQLITE_FLOAT);
            double value = row.getColumn(1).getDouble();
            ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(static_cast<double>(point.value)))
                << point.step;
        }
        EXPECT_FALSE(row.executeStep());
    }
};

TEST_F(ViewsTest, TheQueryOfTheReadMe) {
    auto store = storeWithRun();
    store->append(block(1, {0.5F, 0.25F, 0.125F}));
    std::string sql = "SELECT step, value FROM v_points WHERE run = '0123456789ab' AND name = 'loss' ORDER BY step;";
    EXPECT_THAT(rows(sql), ElementsAre("1|0.5", "2|0.25", "3|0.125"));
    store->append(block(4, {2}));
    EXPECT_EQ(rows(sql).size(), 4U) << "of a live run too";
}

TEST_F(ViewsTest, EveryKindOfValueIsDecodedExactly) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<float> values{0.0F, -0.0F, 1.0F, -1.0F, kInfinity, -kInfinity, std::nanf(""), -std::nanf("")};
    using Limits = std::numeric_limits<float>;
    for (float value : {Limits::min(), Limits::max(), Limits::denorm_min(), Limits::epsilon(), 0.1F, 3.14159F,
                        std::nextafter(Limits::min(), 0.0F), std::bit_cast<float>(0x7f800001U)})
        values.insert(values.end(), {value, -value});
    for (std::uint32_t exponent = 0; exponent < 512; ++exponent)  // every sign and exponent, three fractions
        for (std::uint32_t fraction : {0U, 1U, 0x7fffffU}) values.push_back(std::bit_cast<float>(exponent << 23 | fraction));
    std::mt19937 random(11);
    for (int i = 0; i < 20000; ++i) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    storeWithRun()->append(block(-7, values));
    expectViewEqualsReader();
}

TEST_F(ViewsTest, InfinitiesAndNaNInQueries) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    storeWithRun()->append(block(1, {1.0F, kInfinity, -kInfinity, std::nanf("")}));
    EXPECT_THAT(rows("SELECT value FROM v_points ORDER BY step"), ElementsAre("1.0", "Inf", "-Inf", "NULL"));
    EXPECT_THAT(rows("SELECT step FROM v_points WHERE value = 9e999 OR value = -9e999 ORDER BY step"), ElementsAre("2", "3"));
    EXPECT_THAT(rows("SELECT step FROM v_points WHERE value IS NULL"), ElementsAre("4"));
}

TEST_F(ViewsTest, CurvesTakeTheNewestAttempt) {
    auto store = storeWithRun();
    store->append(block(1, ramp(6000), 1));
    SeriesAppend thinned = block(5000, ramp(300, 1e6F), 2);
    thinned.stride = 2;
    store->append(thinned);
    store->append(block(5100, ramp(3, 2e6F), 3));
    expectViewEqualsReader();
    EXPECT_THAT(rows("SELECT count(*) FROM v_all_points"), ElementsAre("6303"));
    EXPECT_THAT(rows("SELECT count(*), count(DISTINCT step) FROM v_points"), ElementsAre("6000|6000")) << "each step once";
    EXPECT_THAT(rows("SELECT attempt, newest, value FROM v_all_points WHERE step = 5100 ORDER BY attempt"),
                ElementsAre("1|0|5099.0", "2|0|1000050.0", "3|1|2000000.0"));
    EXPECT_THAT(rows("SELECT run, name, path, attempt, points, first_step, last_step, deterministic FROM v_series"),
                ElementsAre("0123456789ab|loss||1|6000|1|6000|1", "0123456789ab|loss||2|300|5000|5598|1",
                            "0123456789ab|loss||3|3|5100|5102|1"));
}

TEST_F(ViewsTest, RunsAndTheirRecords) {
    auto store = openStore();
    RunRecord run = runRecord("0123456789ab");
    run.seed = std::numeric_limits<std::uint64_t>::max();
    run.tags = {"a"};
    store->addRun(run);
    AttemptRecord attempt;
    attempt.run = run.id;
    attempt.device = "cpu";
    store->addAttempt(attempt);
    store->add(EvaluationRecord{run.id, 1, 100, 1, "valid", "bleu", "sig", 30.25, 1014, 1.5});
    store->add(EvaluationRecord{run.id, 2, 100, 1, "valid", "bleu", "sig", 31.5, 1014, 1.5});
    store->add(CheckpointRecord{run.id, 1, 10, "best", "r/step-10", "w", "o", "s", 123});
    store->add(EventRecord{run.id, 1, 3, 1.5, 1001, "warning", "text", ""});
    store->add(SampleRecord{run.id, 1, 10, 0, "s", "r", "h"});
    HistogramRecord histogram;
    histogram.run = run.id;
    histogram.name = "gate";
    histogram.bins = {1, 2};
    store->add(histogram);
    MapRecord map;
    map.run = run.id;
    map.name = "weight";
    map.heads = map.rows = map.columns = 1;
    map.values = {0.5F};
    map.rowTokens = map.columnTokens = {"a"};
    store->add(map);

    EXPECT_THAT(rows("SELECT run, name, state, seed, created_utc, tags FROM v_runs"),
                ElementsAre(R"(0123456789ab|eau|queued|18446744073709551615|1970-01-01 00:16:40|["a"])"));
    EXPECT_THAT(rows("SELECT count(*) FROM v_runs WHERE trashed IS NULL"), ElementsAre("1"));
    run.trashed = 12.5;
    store->updateRun(run);
    EXPECT_THAT(rows("SELECT trashed, queued FROM v_runs"), ElementsAre("12.5|0.0"));
    EXPECT_THAT(rows("SELECT run, attempt, device FROM v_attempts"), ElementsAre("0123456789ab|1|cpu"));
    EXPECT_THAT(rows("SELECT run, step, value FROM v_evaluations WHERE metric = 'bleu' AND newest"),
                ElementsAre("0123456789ab|100|31.5"));
    EXPECT_THAT(rows("SELECT count(*) FROM v_evaluations"), ElementsAre("2"));
    EXPECT_THAT(rows("SELECT run, kind, folder, bytes FROM v_checkpoints"),
                ElementsAre("0123456789ab|best|0123456789ab/step-10|123"));
    EXPECT_THAT(rows("SELECT run, kind, text, at_utc FROM v_events"),
                ElementsAre("0123456789ab|warning|text|1970-01-01 00:16:41"));
    EXPECT_THAT(rows("SELECT run, step, hypothesis FROM v_samples"), ElementsAre("0123456789ab|10|h"));
    EXPECT_THAT(rows("SELECT run, name, bins, hex(data) FROM v_histograms"),
                ElementsAre("0123456789ab|gate|2|0100000002000000"));
    EXPECT_THAT(rows("SELECT run, name, row_tokens, codec, hex(data) FROM v_maps"),
                ElementsAre(R"(0123456789ab|weight|["a"]|f16|0038)"));
}

/// resources/help/schema.md is the public contract: its columns are the views' columns, and its queries run.
TEST_F(ViewsTest, TheDocumentationIsTrue) {
    storeWithRun()->append(block(1, ramp(3)));
    std::ifstream in(HEDDLE_SOURCE_DIR "/resources/help/schema.md");
    std::string text((std::istreambuf_iterator<char>(in)), {});
    auto matches = [&](const char* pattern) {
        std::regex expression(pattern);
        return std::vector<std::smatch>(std::sregex_iterator(text.begin(), text.end(), expression), {});
    };
    std::set<std::string> documented;
    for (const auto& match : matches(R"(\*\*`(v_\w+)`\*\* `([^`]+)`)")) {
        documented.insert(match[1]);
        std::string columns = std::regex_replace(match[2].str(), std::regex(R"([,\s]+)"), "|"), actual;
        for (const auto& column : rows("SELECT name FROM pragma_table_info('" + match[1].str() + "') ORDER BY cid"))
            actual += (actual.empty() ? "" : "|") + column;
        EXPECT_EQ(columns, actual) << match[1];
    }
    auto views = rows("SELECT name FROM sqlite_schema WHERE type = 'view'");
    EXPECT_EQ(documented, std::set<std::string>(views.begin(), views.end()));
    int queries = 0;
    for (const auto& match : matches("```sql\n([^`]+)```")) {
        std::string block = match[1].str();
        for (std::size_t begin = 0, end = 0; (end = block.find(';', begin)) != std::string::npos; begin = end + 1, ++queries)
            EXPECT_NO_THROW(rows(block.substr(begin, end + 1 - begin))) << block.substr(begin, end + 1 - begin);
    }
    EXPECT_EQ(queries, 4);
}

TEST_F(ViewsTest, ThePlainShellReadsALiveDatabase) {
    if (std::system("command -v sqlite3 > /dev/null 2>&1") != 0) GTEST_SKIP() << "no sqlite3 shell on this machine";
    auto store = storeWithRun();
    store->append(block(1, {0.5F, 0.25F}));
    std::string command =
        "sqlite3 '" + file_ +
        "' \"SELECT step, value FROM v_points WHERE run = '0123456789ab' AND name = 'loss' ORDER BY step\" 2>&1";
    FILE* shell = ::popen(command.c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string output;
    for (int c = 0; (c = std::fgetc(shell)) != EOF;) output += static_cast<char>(c);
    EXPECT_EQ(::pclose(shell), 0);
    EXPECT_EQ(output, "1|0.5\n2|0.25\n");
    store->append(block(3, {1}));
    EXPECT_EQ(lossPoints().size(), 3U);
}

}  // namespace
}  // namespace heddle::storage
