// SPDX-License-Identifier: Apache-2.0
// One wrong bit anywhere in a run database is harmless or reported: never a false number, never a record that is just gone.
#include "storage_fixture.h"
#include "tests/damage/everything_read.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <random>

namespace heddle::storage {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRuns[] = {"0123456789ab", "abcdef012345"};

class BitFlipTest : public StorageTest {
protected:
    void SetUp() override {
        StorageTest::SetUp();
        auto store = openStore();
        for (const auto& run : kRuns) writeRun(*store, run);
        store->putItem("variant", "mine", R"({"d":128})");
        store.reset();
        before_ = readEverything(file_);
        ASSERT_THAT(before_.damages, IsEmpty());
    }

    static void writeRun(RunStore& store, const std::string& run) {
        RunRecord record = runRecord(run, "run " + run);
        record.spec = R"({"schema":1,"variant":{"preset":"eau-full"},"seed":)" + std::string(300, '7') + "}";
        record.tags = {"paper", "draft"};
        store.addRun(record);
        AttemptRecord attempt;
        attempt.run = run;
        attempt.device = "cpu";
        store.addAttempt(attempt);
        for (const char* name : {"loss", "accuracy", "grad_norm"}) {
            SeriesAppend series = block(1, ramp(300));
            series.run = run;
            series.name = name;
            store.append(series);
        }
        for (std::int64_t step = 50; step <= 300; step += 50) {
            for (const char* metric : {"loss", "accuracy", "bleu"})
                store.add(EvaluationRecord{run, 1, step, step / 50, "valid", metric, "signature",
                                           0.5 + static_cast<double>(step), 1014, 2});
            for (std::int64_t i = 0; i < 3; ++i) store.add(SampleRecord{run, 1, step, i, "ein hund", "a dog", "a cat"});
            store.add(CheckpointRecord{run, 1, step, "step", "", std::string(64, 'a'), std::string(64, 'b'),
                                       std::string(64, 'c'), 100});
            store.add(EventRecord{run, 1, step, 1, 1.7e9, "info", "an evaluation was made", ""});
            HistogramRecord histogram;
            histogram.run = run;
            histogram.step = step;
            histogram.name = "gate";
            histogram.path = "encoder.layers.0.self.residual";
            histogram.bins.assign(64, 3);
            store.add(histogram);
            MapRecord map;
            map.run = run;
            map.step = step;
            map.name = "weight";
            map.path = "encoder.layers.0.self";
            map.heads = 2;
            map.rows = map.columns = 4;
            map.values.assign(32, 0.25F);
            map.rowTokens = map.columnTokens = {"ein", "hund", "bellt", "laut"};
            store.add(map);
        }
    }

    /// Flips one bit of the file; the same call puts it right again.
    void flip(std::uint64_t bit) const {
        std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(bit / 8));
        const auto byte = static_cast<char>(file.get() ^ (1 << (bit % 8)));
        file.seekp(static_cast<std::streamoff>(bit / 8));
        file.put(byte);
    }
    void expectNothingFalse(std::uint64_t bit) const {
        flip(bit);
        EXPECT_EQ(firstFalsehood(before_, readEverything(file_)), "") << "bit " << bit;
        flip(bit);
    }
    std::vector<std::string> damagesAfter(const std::string& sql) const {
        SQLite::Database(file_, SQLite::OPEN_READWRITE).exec(sql);
        const Reading after = readEverything(file_);
        EXPECT_EQ(firstFalsehood(before_, after), "") << sql;
        return after.damages;
    }

    Reading before_;
};

TEST_F(BitFlipTest, RandomBits) {
    std::mt19937_64 random(20261123);
    const std::uint64_t bits = 8 * std::filesystem::file_size(file_);
    for (int i = 0; i < 300; ++i) expectNothingFalse(random() % bits);
}

TEST_F(BitFlipTest, WhereThePagesSayWhatIsInThem) {
    constexpr std::uint64_t kPage = 16384;
    const std::uint64_t pages = std::filesystem::file_size(file_) / kPage;
    std::mt19937_64 random(1);
    // The header of a page (8 or 12 bytes) and the first entries of its array of cells.
    for (std::uint64_t page = 0; page < pages; ++page)
        for (int i = 0; i < 6; ++i) expectNothingFalse(8 * (page * kPage + (page == 0 ? 100 : 0)) + random() % (8 * 24));
}

TEST_F(BitFlipTest, InTheIndexes) {
    constexpr std::uint64_t kPage = 16384;
    std::vector<std::uint64_t> pages;
    {
        SQLite::Database database(file_, SQLite::OPEN_READONLY);
        SQLite::Statement row(database,
                              "SELECT d.pageno FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name"
                              " WHERE s.type = 'index' AND s.tbl_name <> 'lookup_byte'");
        while (row.executeStep()) pages.push_back(static_cast<std::uint64_t>(row.getColumn(0).getInt64()));
    }
    ASSERT_GT(pages.size(), 5U);
    std::mt19937_64 random(3);
    // Entries lie at the end of a page.
    for (int i = 0; i < 40; ++i)
        for (const std::uint64_t page : pages) expectNothingFalse(8 * (page * kPage - 1 - random() % 600) + random() % 8);
}

TEST_F(BitFlipTest, EveryValueOfEveryRecordIsCovered) {
    const std::string kSpoils[] = {"UPDATE run SET seed = seed + 1 WHERE num = 1",
                                   "UPDATE run SET spec = replace(spec, 'eau', 'eaw') WHERE num = 1",
                                   "UPDATE run SET n_evaluation = n_evaluation - 1 WHERE num = 1",
                                   "UPDATE attempt SET device = 'cqu' WHERE run = 1",
                                   "UPDATE series SET name = 'losr' WHERE num = 1",
                                   "UPDATE series SET chunks = 2 WHERE num = 1",
                                   "UPDATE evaluation SET value = value * 2 WHERE run = 1 AND step = 50 AND metric = 'bleu'",
                                   "UPDATE evaluation SET metric = 'bled' WHERE run = 1 AND step = 50 AND metric = 'bleu'",
                                   "UPDATE evaluation SET run = 2, attempt = 3 WHERE run = 1 AND step = 50 AND metric = 'bleu'",
                                   "UPDATE histogram SET name = 'gatd' WHERE run = 1 AND step = 50",
                                   "UPDATE token_list SET tokens = replace(tokens, 'hund', 'hunt') WHERE run = 1",
                                   "UPDATE sample SET hypothesis = 'a dog' WHERE run = 1 AND step = 50",
                                   "UPDATE checkpoint SET weights_sha256 = 'x' WHERE run = 1 AND step = 50",
                                   "UPDATE event SET text = 'nothing' WHERE run = 1 AND step = 50",
                                   "UPDATE item SET body = '{\"d\":129}'"};
    const std::string whole = file_ + ".whole";
    std::filesystem::copy_file(file_, whole);
    for (const auto& sql : kSpoils) {
        EXPECT_FALSE(damagesAfter(sql).empty()) << sql;
        std::filesystem::copy_file(whole, file_, std::filesystem::copy_options::overwrite_existing);
    }
}

TEST_F(BitFlipTest, ARecordThatIsGoneIsMissed) {
    const std::string whole = file_ + ".whole";
    std::filesystem::copy_file(file_, whole);
    for (const char* table :
         {"attempt", "series", "evaluation", "histogram", "map", "sample", "checkpoint", "event", "chunk", "run", "item"}) {
        const std::string key = std::string(table) == "chunk" ? "series" : std::string(table) == "run" ? "num" : "run";
        const std::string which = std::string(table) == "item" ? "kind = 'variant'" : key + " = 1";
        EXPECT_FALSE(damagesAfter(std::string("DELETE FROM ") + table + " WHERE " + which).empty()) << table;
        std::filesystem::copy_file(whole, file_, std::filesystem::copy_options::overwrite_existing);
    }
}

TEST_F(BitFlipTest, ADamagedRunIsShownAsDamagedAndCanOnlyBeDeleted) {
    damagesAfter("UPDATE run SET seed = 9 WHERE num = 1");
    auto runs = RunQuery::open(file_)->runs();
    ASSERT_EQ(runs.size(), 2U);
    const auto& damaged = runs[0].damaged ? runs[0] : runs[1];
    EXPECT_EQ(damaged.state, kDamagedState);
    EXPECT_EQ(damaged.seed, 0U);
    EXPECT_THAT(damaged.reason, HasSubstr("checksum"));
    auto store = openStore();
    EXPECT_EQ(kindOf([&] { store->setState(damaged.id, "completed", ""); }), StorageError::Kind::Corrupt);
    EXPECT_TRUE(RunQuery::open(file_)->run(damaged.id)->damaged) << "a refused change does not make it believed";
    store->deleteRun(damaged.id);
    auto query = RunQuery::open(file_);
    EXPECT_EQ(query->runs().size(), 1U);
    EXPECT_THAT(query->damages(), IsEmpty());
}

TEST_F(BitFlipTest, ADamagedRecordStaysDamagedInACopy) {
    damagesAfter("UPDATE evaluation SET value = 99 WHERE run = 1 AND step = 50 AND metric = 'bleu'");
    const std::string other = folder_ + "/other.heddle";
    RunStore::open(other, {})->importRun(file_, kRuns[0]);
    auto query = RunQuery::open(other);
    std::int64_t damaged = 0;
    for (const auto& evaluation : query->evaluations(kRuns[0])) damaged += evaluation.damaged;
    EXPECT_EQ(damaged, 1);
    EXPECT_EQ(query->evaluations(kRuns[0]).size(), 18U);
}

}  // namespace
}  // namespace heddle::storage
