// SPDX-License-Identifier: Apache-2.0
#include "storage/chunk.h"
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

namespace heddle::storage {
namespace {

using testing::HasSubstr;
using Kind = StorageError::Kind;

/// Wrong bytes in one record: that record is missing and said to be, everything else is shown as before.
class DamageTest : public StorageTest {
protected:
    void spoil(const std::string& sql) {
        SQLite::Database database(file_, SQLite::OPEN_READWRITE);
        database.exec(sql);
    }
    void writeThreeChunks() {
        auto store = storeWithRun();
        store->addRun(runRecord("ffffffffffff"));
        store->append(block(1, ramp(3 * 4096)));
        SeriesAppend other = block(1, ramp(3 * 4096));
        other.run = "ffffffffffff";
        store->append(other);
    }
};

TEST_F(DamageTest, ADamagedChunkIsAGapAndSaidToBe) {
    writeThreeChunks();
    spoil("UPDATE chunk SET data = zeroblob(16384) WHERE id = (SELECT min(id) + 1 FROM chunk)");
    auto query = RunQuery::open(file_);
    EXPECT_TRUE(query->damages().empty());
    auto points = query->points(kRun, "loss", "", 0, INT64_MAX);
    EXPECT_EQ(points.size(), 2U * 4096);
    EXPECT_EQ(points[4096].step, 8193);
    query->points(kRun, "loss", "", 0, INT64_MAX);
    ASSERT_EQ(query->damages().size(), 1U) << "reported once";
    EXPECT_EQ(query->damages()[0].run, kRun);
    EXPECT_EQ(query->damages()[0].text,
              "4096 values of run 0123456789ab, loss, attempt 1, steps 4097 to 8192, are damaged: shown as a gap");
    EXPECT_EQ(query->points("ffffffffffff", "loss", "", 0, INT64_MAX).size(), 3U * 4096);
    EXPECT_EQ(query->runs().size(), 2U);
}

TEST_F(DamageTest, ADamagedPyramidFallsBackToTheValues) {
    writeThreeChunks();
    spoil("UPDATE chunk SET levels = zeroblob(length(levels)) WHERE id = (SELECT min(id) + 1 FROM chunk)");
    auto query = RunQuery::open(file_);
    auto overview = query->overview(kRun, "loss", "", 0, INT64_MAX, 3);
    ASSERT_EQ(overview.size(), 3U);
    EXPECT_EQ(overview[1].minimum, 4096);
    EXPECT_EQ(overview[1].maximum, 8191);
    EXPECT_TRUE(query->damages().empty());
    spoil("UPDATE chunk SET data = zeroblob(16384) WHERE id = (SELECT min(id) + 1 FROM chunk)");
    overview = query->overview(kRun, "loss", "", 0, INT64_MAX, 3);
    EXPECT_EQ(overview.size(), 2U);
    EXPECT_EQ(query->damages().size(), 1U);
}

TEST_F(DamageTest, TheRowsNumbersAreCoveredToo) {
    for (const char* change :
         {"first_step = first_step + 100000", "stride = 2", "n = 4095", "series = 2, first_step = -9000"}) {
        std::filesystem::remove(file_);
        writeThreeChunks();
        spoil(std::string("UPDATE chunk SET ") + change + " WHERE id = (SELECT min(id) + 1 FROM chunk)");
        auto query = RunQuery::open(file_);
        EXPECT_EQ(query->points(kRun, "loss", "", INT64_MIN, INT64_MAX).size(), 2U * 4096) << change;
        EXPECT_EQ(query->points("ffffffffffff", "loss", "", INT64_MIN, INT64_MAX).size(), 3U * 4096) << change;
    }
}

TEST(Chunk, EverySingleBitIsNoticed) {
    std::vector<float> values(300, 0.1F);
    ChunkRow row{1, 2, 3, 1, 300};
    EncodedChunk chunk = encodeChunk(row, values);
    ASSERT_TRUE(decodeData(row, chunk.dataChecksum, chunk.data));
    ASSERT_TRUE(decodeLevels(row, chunk.levelsChecksum, chunk.levels));
    auto flip = [](Blob blob, std::size_t bit) {
        blob[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        return blob;
    };
    for (std::size_t bit = 0; bit < chunk.data.size() * 8; ++bit)
        ASSERT_FALSE(decodeData(row, chunk.dataChecksum, flip(chunk.data, bit))) << bit;
    for (std::size_t bit = 0; bit < chunk.levels.size() * 8; ++bit)
        ASSERT_FALSE(decodeLevels(row, chunk.levelsChecksum, flip(chunk.levels, bit))) << bit;
    for (std::size_t bit = 0; bit < 32; ++bit)
        ASSERT_FALSE(decodeData(row, chunk.dataChecksum ^ (std::int64_t{1} << bit), chunk.data)) << bit;
    chunk.data.pop_back();
    EXPECT_FALSE(decodeData(row, chunk.dataChecksum, chunk.data));
    EXPECT_FALSE(decodeData(row, chunk.dataChecksum, {}));
}

TEST_F(DamageTest, AWriterGoesOnBehindADamagedTail) {
    storeWithRun()->append(block(1, ramp(100)));
    spoil("UPDATE chunk SET data = zeroblob(length(data))");
    openStore()->append(block(101, ramp(50, 100)));
    auto points = lossPoints();
    ASSERT_EQ(points.size(), 50U);
    EXPECT_EQ(points[0].step, 101);
}

TEST_F(DamageTest, HistogramsAndMapsFailAlone) {
    auto store = storeWithRun();
    HistogramRecord histogram;
    histogram.run = kRun;
    histogram.name = "gate";
    histogram.bins = {1, 2, 3};
    MapRecord map;
    map.run = kRun;
    map.name = "weight";
    map.heads = map.rows = map.columns = 4;
    map.values.assign(64, 0.25F);
    for (std::int64_t step : {1, 2}) {
        histogram.step = map.step = step;
        store->add(histogram);
        store->add(map);
    }
    store.reset();
    spoil("UPDATE histogram SET mean = 0.5 WHERE step = 1; UPDATE map SET rows = 2, columns = 8 WHERE step = 1");
    auto query = RunQuery::open(file_);
    EXPECT_EQ(kindOf([&] { query->histogram(kRun, {"gate", "", 1, 0}); }), Kind::Corrupt);
    EXPECT_EQ(kindOf([&] { query->map(kRun, {"weight", "", 1, 0}); }), Kind::Corrupt);
    EXPECT_EQ(query->histogram(kRun, {"gate", "", 2, 0})->bins.size(), 3U);
    EXPECT_EQ(query->map(kRun, {"weight", "", 2, 0})->values.size(), 64U);
}

TEST_F(DamageTest, ARunWithADamagedRowDoesNotHideTheOthers) {
    writeThreeChunks();
    spoil("UPDATE run SET tags = 'not JSON', spec = x'ff' || '{' WHERE num = 1");
    EXPECT_EQ(RunQuery::open(file_)->runs().size(), 2U);
}

TEST_F(DamageTest, ImpossibleStepsAreDamageNotArithmetic) {
    for (const char* change : {"first_step = 9223372036854775807", "stride = 9223372036854775807"}) {
        std::filesystem::remove(file_);
        writeThreeChunks();
        spoil(std::string("UPDATE chunk SET ") + change + " WHERE id = (SELECT min(id) + 1 FROM chunk)");
        auto query = RunQuery::open(file_);
        EXPECT_EQ(query->points(kRun, "loss", "", INT64_MIN, INT64_MAX).size(), 2U * 4096) << change;
        EXPECT_LE(query->overview(kRun, "loss", "", INT64_MIN, INT64_MAX, 100).size(), 100U) << change;
    }
    EXPECT_THROW(openStore()->append(block(INT64_MAX - 1, {1, 2, 3}, 7)), StorageError);
}

TEST_F(DamageTest, AViewInATablesPlaceIsNotBelieved) {
    storeWithRun();
    spoil("ALTER TABLE meta RENAME TO old; CREATE VIEW meta AS SELECT 1 AS one, 99 AS rev, 0 AS created");
    EXPECT_TRUE(errorOf([&] { RunQuery::open(file_)->revision(); }));
}

TEST_F(DamageTest, ACutFileIsCorruptNotACrash) {
    writeThreeChunks();
    for (const char* rest : {"-wal", "-shm"}) std::filesystem::remove(file_ + rest);
    std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
    auto error = errorOf([&] {
        auto query = RunQuery::open(file_);
        query->points(kRun, "loss", "", 0, INT64_MAX);
        query->points("ffffffffffff", "loss", "", 0, INT64_MAX);
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), Kind::Corrupt) << error->what();
    EXPECT_THAT(error->next(), HasSubstr("recover"));
}

}  // namespace
}  // namespace heddle::storage
