// SPDX-License-Identifier: Apache-2.0
#include "storage_fixture.h"

#include <cmath>
#include <limits>
#include <random>

namespace heddle::storage {
namespace {

class OverviewTest : public StorageTest {
protected:
    /// Compares the buckets with the points: same extremes, same mean, every point in exactly one bucket.
    void expectTrue(std::int64_t from, std::int64_t to, std::int64_t buckets) {
        SCOPED_TRACE(testing::Message() << from << " to " << to << " in " << buckets);
        auto query = RunQuery::open(file_);
        auto points = query->points("0123456789ab", "loss", "", from, to);
        auto overview = query->overview("0123456789ab", "loss", "", from, to, buckets);
        ASSERT_LE(overview.size(), static_cast<std::size_t>(buckets));
        std::size_t at = 0;
        for (const auto& bucket : overview) {
            float minimum = std::nanf(""), maximum = minimum;
            double sum = 0;
            std::int64_t n = 0, finite = 0;
            ASSERT_LT(at, points.size());
            EXPECT_EQ(points[at].step, bucket.firstStep);
            for (; at < points.size() && points[at].step <= bucket.lastStep; ++at, ++n) {
                minimum = std::fmin(minimum, points[at].value);
                maximum = std::fmax(maximum, points[at].value);
                if (std::isfinite(points[at].value)) sum += points[at].value, ++finite;
            }
            EXPECT_EQ(points[at - 1].step, bucket.lastStep);
            EXPECT_EQ(bucket.n, n);
            EXPECT_TRUE(bucket.minimum == minimum || (std::isnan(minimum) && std::isnan(bucket.minimum)));
            EXPECT_TRUE(bucket.maximum == maximum || (std::isnan(maximum) && std::isnan(bucket.maximum)));
            if (finite > 0)
                EXPECT_NEAR(bucket.mean, sum / static_cast<double>(finite), 1e-6);
            else
                EXPECT_TRUE(std::isnan(bucket.mean));
        }
        EXPECT_EQ(at, points.size());
    }

    std::vector<float> noise(std::size_t n) {
        std::vector<float> values(n);
        for (float& value : values) {
            value = std::normal_distribution<float>()(random_);
            if (random_() % 997 == 0) value = std::nanf("");
            if (random_() % 1499 == 0) value = std::numeric_limits<float>::infinity();
        }
        return values;
    }
    std::mt19937 random_{3};
};

TEST_F(OverviewTest, OneLongAttempt) {
    storeWithRun()->append(block(1, noise(50001)));
    for (std::int64_t buckets : {1, 7, 100, 1600, 60000}) expectTrue(INT64_MIN, INT64_MAX, buckets);
    expectTrue(17, 40017, 50);
    expectTrue(5000, 5000, 10);
    expectTrue(4097, 8192, 1);
    expectTrue(49990, 1000000, 3);
}

TEST_F(OverviewTest, BucketsAreEvenWhereThereIsEnough) {
    storeWithRun()->append(block(1, noise(100000)));
    auto overview = RunQuery::open(file_)->overview("0123456789ab", "loss", "", 0, INT64_MAX, 100);
    ASSERT_EQ(overview.size(), 100U);
    for (const auto& bucket : overview) EXPECT_NEAR(static_cast<double>(bucket.n), 1000, 256);
}

TEST_F(OverviewTest, GapsStridesAndAttempts) {
    auto store = storeWithRun();
    store->append(block(1, noise(9000)));
    store->append(block(9500, noise(3000)));
    SeriesAppend thinned = block(12600, noise(3000));
    thinned.stride = 3;
    store->append(thinned);
    store->append(block(9001, noise(5000), 2));   // replays, fills the gap, other stride than the older attempt
    store->append(block(30000, noise(5000), 2));  // after a gap
    store->append(block(12000, noise(100), 3));
    for (std::int64_t buckets : {1, 13, 400, 3000}) expectTrue(0, INT64_MAX, buckets);
    expectTrue(8990, 14100, 37);
    expectTrue(20000, 33000, 37);
}

TEST_F(OverviewTest, NothingThere) {
    storeWithRun();
    auto query = RunQuery::open(file_);
    EXPECT_TRUE(query->overview("0123456789ab", "loss", "", 0, 100, 10).empty());
    EXPECT_TRUE(query->overview("ffffffffffff", "loss", "", 0, 100, 10).empty());
    openStore()->append(block(10, {1, 2}));
    EXPECT_TRUE(query->overview("0123456789ab", "loss", "", 100, 200, 10).empty());
    EXPECT_TRUE(query->overview("0123456789ab", "loss", "", 200, 100, 10).empty());
    EXPECT_TRUE(query->overview("0123456789ab", "loss", "", 0, 100, 0).empty());
    EXPECT_TRUE(query->points("0123456789ab", "loss", "", 200, 100).empty());
}

TEST_F(OverviewTest, AllNaN) {
    storeWithRun()->append(block(1, std::vector<float>(5000, std::nanf(""))));
    expectTrue(0, INT64_MAX, 3);
}

}  // namespace
}  // namespace heddle::storage
