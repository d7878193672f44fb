// SPDX-License-Identifier: Apache-2.0
#include "storage/series_codec.h"
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

namespace heddle::storage {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Pyramid, SummarisesEveryLevel) {
    std::vector<float> values(4096);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    Levels levels = summarise(values);
    ASSERT_EQ(levels.size(), 3U);
    EXPECT_EQ(levels[0].size(), 256U);
    EXPECT_EQ(levels[1].size(), 16U);
    ASSERT_EQ(levels[2].size(), 1U);
    EXPECT_EQ(levels[0][3].minimum, 48);
    EXPECT_EQ(levels[0][3].maximum, 63);
    EXPECT_EQ(levels[0][3].mean, 55.5F);
    EXPECT_EQ(levels[1][1].minimum, 256);
    EXPECT_EQ(levels[2][0].maximum, 4095);
    EXPECT_EQ(levels[2][0].mean, 2047.5F);
    EXPECT_EQ(levels[2][0].finite, 4096);
}

TEST(Pyramid, KeepsNaNAndInfinityApart) {
    Summary mixed = summaryOf(std::vector<float>{kNaN, 2, kInfinity, 4});
    EXPECT_EQ(mixed.minimum, 2);
    EXPECT_EQ(mixed.maximum, kInfinity);
    EXPECT_EQ(mixed.mean, 3);
    EXPECT_EQ(mixed.finite, 2);
    Summary none = summaryOf(std::vector<float>{kNaN, kNaN});
    EXPECT_TRUE(std::isnan(none.minimum) && std::isnan(none.maximum) && std::isnan(none.mean));
    EXPECT_EQ(none.finite, 0);
}

TEST(Pyramid, BlobComesBackForEverySize) {
    for (std::size_t n : {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 1000U, 4095U, 4096U}) {
        Levels levels = summarise(std::vector<float>(n, 1.5F)), back;
        Blob blob = packLevels(levels);
        back = unpackLevels(blob, static_cast<std::int64_t>(n));
        ASSERT_EQ(back.size(), levels.size()) << n;
        for (std::size_t k = 0; k < levels.size(); ++k) {
            ASSERT_EQ(back[k].size(), levels[k].size()) << n;
            EXPECT_EQ(back[k].back().finite, levels[k].back().finite);
            EXPECT_EQ(back[k].back().mean, 1.5F);
        }
        blob.pop_back();
        EXPECT_THROW(unpackLevels(blob, static_cast<std::int64_t>(n)), StorageError);
    }
}

class SeriesTest : public StorageTest {
protected:
    struct Row {
        std::int64_t first, stride, n;
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> chunks() {
        SQLite::Database database(file_, SQLite::OPEN_READONLY);
        SQLite::Statement rows(database, "SELECT first_step, stride, n FROM chunk ORDER BY series, first_step");
        std::vector<Row> found;
        while (rows.executeStep())
            found.push_back({rows.getColumn(0).getInt64(), rows.getColumn(1).getInt64(), rows.getColumn(2).getInt64()});
        return found;
    }
    void expectRamp(std::size_t n, std::int64_t firstStep = 1) {
        auto points = lossPoints();
        ASSERT_EQ(points.size(), n);
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(points[i].step, firstStep + static_cast<std::int64_t>(i));
            ASSERT_EQ(points[i].value, static_cast<float>(i));
        }
    }
};

TEST_F(SeriesTest, KeepsEveryBitOfAValue) {
    std::vector<float> values{0.0F,
                              -0.0F,
                              kNaN,
                              std::bit_cast<float>(0xffc12345U),
                              kInfinity,
                              -kInfinity,
                              std::numeric_limits<float>::denorm_min(),
                              std::numeric_limits<float>::max(),
                              0.1F};
    auto store = storeWithRun();
    store->append(block(1, values));
    auto points = lossPoints();
    ASSERT_EQ(points.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(bitsOf(points[i].value), bitsOf(values[i])) << i;
}

TEST_F(SeriesTest, ManySmallCommitsBecomeFullChunks) {
    auto store = storeWithRun();
    std::size_t written = 0;
    std::mt19937 random(7);
    while (written < 9000) {
        std::size_t n = std::min<std::size_t>(1 + random() % 300, 9000 - written);
        store->begin();
        store->append(block(1 + static_cast<std::int64_t>(written), ramp(n, static_cast<float>(written))));
        store->commit(RunStore::Durability::Normal);
        written += n;
        ASSERT_EQ(lossPoints().size(), written);
    }
    expectRamp(9000);
    auto rows = chunks();
    ASSERT_GE(rows.size(), 3U);
    EXPECT_EQ(rows[0], (Row{1, 1, 4096}));
    EXPECT_EQ(rows[1], (Row{4097, 1, 4096}));
    EXPECT_LE(rows.size(), 4U);  // unfinished chunk and its tail
}

TEST_F(SeriesTest, OneLargeBlockAndManySingleValuesGiveTheSameChunks) {
    auto store = storeWithRun();
    store->append(block(1, ramp(10000)));
    auto other = block(1, {});
    other.name = "other";
    store->begin();
    for (int i = 0; i < 10000; ++i) {
        other.firstStep = 1 + i;
        other.values = {static_cast<float>(i)};
        store->append(other);
    }
    store->commit(RunStore::Durability::Normal);
    expectRamp(10000);
    auto rows = chunks();
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(std::vector(rows.begin(), rows.begin() + 3), std::vector(rows.begin() + 3, rows.end()));
}

TEST_F(SeriesTest, AGapOrAnotherStrideBeginsANewChunk) {
    auto store = storeWithRun();
    store->append(block(1, ramp(10)));
    store->append(block(11, ramp(5, 10)));
    store->append(block(20, ramp(3)));  // gap
    SeriesAppend thinned = block(24, ramp(4));
    thinned.stride = 4;
    store->append(thinned);  // 24, 28, 32, 36
    EXPECT_EQ(chunks(), (std::vector<Row>{{1, 1, 15}, {20, 1, 3}, {24, 4, 4}}));
    auto points = lossPoints();
    EXPECT_EQ(points.back().step, 36);
    EXPECT_EQ(points.size(), 22U);
    EXPECT_EQ(lossPoints(16, 19).size(), 0U);
    EXPECT_EQ(lossPoints(29, 35).size(), 1U);
}

TEST_F(SeriesTest, SingleValuesTakeTheStrideOfTheirDistance) {
    auto store = storeWithRun();
    for (int i = 0; i < 100; ++i) store->append(block(100 + 20 * i, {static_cast<float>(i)}));
    EXPECT_EQ(chunks(), (std::vector<Row>{{100, 20, 100}}));
    EXPECT_EQ(lossPoints()[7].step, 240);
}

TEST_F(SeriesTest, GoesOnAfterReopeningWhereItStopped) {
    std::size_t written = 0;
    storeWithRun();
    for (std::size_t n : {10U, 240U, 6U, 300U, 250U, 3289U, 1U, 5000U, 255U, 2U}) {
        openStore()->append(block(1 + static_cast<std::int64_t>(written), ramp(n, static_cast<float>(written))));
        written += n;
        expectRamp(written);
    }
    EXPECT_LE(chunks().size(), 4U);
    EXPECT_EQ(RunQuery::open(file_)->series("0123456789ab")[0].points, static_cast<std::int64_t>(written));
}

TEST_F(SeriesTest, ARolledBackAppendIsForgotten) {
    auto store = storeWithRun();
    store->append(block(1, ramp(300)));
    store->begin();
    store->append(block(301, ramp(5000, 1e6F)));
    store->rollback();
    store->append(block(301, ramp(700, 300)));
    expectRamp(1000);
}

TEST_F(SeriesTest, StepsMustGrowWithinAnAttempt) {
    auto store = storeWithRun();
    store->append(block(1, ramp(10)));
    auto error = errorOf([&] { store->append(block(10, ramp(3))); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), StorageError::Kind::Invalid);
    EXPECT_THAT(error->what(), testing::HasSubstr("loss"));
    store->append(block(11, ramp(3, 10)));
    expectRamp(13);
}

TEST_F(SeriesTest, TheNewestAttemptThatHasTheStepIsShown) {
    auto store = storeWithRun();
    store->append(block(1, std::vector<float>(100, 1), 1));
    store->append(block(51, std::vector<float>(20, 2), 2));
    store->append(block(61, std::vector<float>(5, 3), 3));
    auto points = lossPoints();
    ASSERT_EQ(points.size(), 100U);
    for (const auto& point : points) {
        int expected = point.step < 51 || point.step > 70 ? 1 : point.step < 61 || point.step > 65 ? 2 : 3;
        EXPECT_EQ(point.attempt, expected);
        EXPECT_EQ(point.value, static_cast<float>(expected));
    }
    auto query = RunQuery::open(file_);
    auto first = query->pointsOfAttempt("0123456789ab", 1, "loss", "", 60, 62);
    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(first[0].value, 1);
    EXPECT_TRUE(query->pointsOfAttempt("0123456789ab", 9, "loss", "", 0, 1000).empty());
    auto keys = query->series("0123456789ab");
    ASSERT_EQ(keys.size(), 1U);
    EXPECT_EQ(keys[0].points, 125);
}

TEST_F(SeriesTest, DeterminismIsKeptPerSeries) {
    auto store = storeWithRun();
    SeriesAppend speed = block(1, ramp(3));
    speed.name = "tokens_per_second";
    speed.deterministic = false;
    store->append(speed);
    store->append(block(1, ramp(3)));
    auto keys = RunQuery::open(file_)->series("0123456789ab");
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_TRUE(keys[0].deterministic);
    EXPECT_FALSE(keys[1].deterministic);
}

TEST_F(SeriesTest, ASeriesIsDeterministicOnlyWhereAllOfItIs) {
    auto store = storeWithRun();
    const auto append = [&](std::int64_t step, std::int64_t attempt, bool deterministic) {
        SeriesAppend part = block(step, {1}, attempt);
        part.deterministic = deterministic;
        store->append(part);
    };
    const auto isDeterministic = [&] { return RunQuery::open(file_)->series("0123456789ab").at(0).deterministic; };
    append(1, 1, true);
    EXPECT_TRUE(isDeterministic());
    append(2, 1, false);
    append(3, 1, true);
    EXPECT_FALSE(isDeterministic()) << "a later part does not make up for an earlier one";
    append(2, 2, true);
    EXPECT_FALSE(isDeterministic()) << "nor does a later attempt";
}

TEST_F(SeriesTest, ARunInThePlaceOfADeletedOneHasItsOwnCurves) {
    auto store = storeWithRun();
    store->append(block(1, ramp(5)));
    store->deleteRun("0123456789ab");
    store->addRun(runRecord("0123456789ab"));  // SQLite gives it the number of the deleted one
    store->append(block(1, {7}));
    const auto points = lossPoints();
    ASSERT_EQ(points.size(), 1U);
    EXPECT_EQ(points[0].value, 7);
}

TEST_F(SeriesTest, PathsAreSeriesOfTheirOwn) {
    auto store = storeWithRun();
    SeriesAppend layer = block(1, {5});
    layer.path = "encoder.layers.0";
    store->append(layer);
    store->append(block(1, {6}));
    auto query = RunQuery::open(file_);
    EXPECT_EQ(query->points("0123456789ab", "loss", "encoder.layers.0", 1, 1)[0].value, 5);
    EXPECT_EQ(query->points("0123456789ab", "loss", "", 1, 1)[0].value, 6);
}

TEST_F(SeriesTest, MoreSeriesThanAreKeptOpen) {
    auto store = storeWithRun();
    for (int round = 0; round < 3; ++round) {
        store->begin();
        for (int i = 0; i < 1200; ++i) {
            auto series = block(1 + round * 10, ramp(10));
            series.path = std::to_string(i);
            store->append(series);
        }
        store->commit(RunStore::Durability::Normal);
    }
    EXPECT_EQ(chunks(), std::vector<Row>(1200, {1, 1, 30}));
}

TEST_F(SeriesTest, ASmallCommitWritesSmallRows) {
    auto store = storeWithRun();
    store->append(block(1, ramp(4000)));
    store->append(block(4001, ramp(10, 4000)));
    EXPECT_EQ(chunks(), (std::vector<Row>{{1, 1, 4000}, {4001, 1, 10}}));
    expectRamp(4010);
}

}  // namespace
}  // namespace heddle::storage
