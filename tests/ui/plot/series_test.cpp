// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"
#include "ui/plot/curve.h"
#include "ui/plot/smoothing.h"
#include "ui/threads/ask.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

Bucket slow(const Series& series, Step first, Step end) {
    Bucket bucket;
    for (std::int64_t i = 0; i < series.size(); ++i)
        if (const Row row = series.at(i); row.step >= first && row.step < end) bucket.add(row.value);
    return bucket;
}

/// The formula as the header writes it, in double, row by row.
std::vector<double> ema(const Series& raw, double n) {
    std::vector<double> out;
    double sum = 0, weights = 0;  // of rows at every step: Σ e^(−age/n) x ÷ Σ e^(−age/n)
    for (std::int64_t i = 0; i < raw.size(); ++i) {
        sum = sum * std::exp(-1 / n) + raw.at(i).value;
        weights = weights * std::exp(-1 / n) + 1;
        out.push_back(sum / weights);
    }
    return out;
}

/// Who else holds it goes on reading; the last one lets it go (the sanitizers see that it is freed, and once).
TEST(Series, SharedRowsGoWithTheirLastHolder) {
    Series rows;
    for (Step step = 0; step < 3 * Series::kChunk; ++step) rows.append(step, double(step));
    auto held = shared(std::move(rows)), other = held;
    held.reset();
    EXPECT_EQ(other->size(), 3 * Series::kChunk);
    {
        Series grown = *other;
        grown.append(3 * Series::kChunk, 1);
        EXPECT_FALSE(other->ownsRowsAlone());
    }
    EXPECT_TRUE(other->ownsRowsAlone());
    const std::weak_ptr<const Series> gone = other;
    other.reset();
    EXPECT_TRUE(gone.expired());
    Pool::threads().waitForDone();
}

}  // namespace

TEST(Series, BucketsEqualASlowLoop) {
    Series series;
    Step step = 0;
    for (std::uint64_t i = 0; i < 13'000; ++i) {
        step += 1 + Step(3 * noise(1, i));
        series.append(step, i < 5000 && i % 997 == 5 ? std::nan("") : bell(2, i));  // a whole chunk is finite
    }
    std::vector<Step> edges;
    for (std::uint64_t i = 0; i <= 60; ++i) edges.push_back(-40 + Step(i) * Step(i) * 8);
    std::vector<Bucket> fast(edges.size() - 1);
    series.buckets(edges, fast);
    for (std::size_t i = 0; i < fast.size(); ++i) {
        const Bucket expected = slow(series, edges[i], edges[i + 1]);
        EXPECT_EQ(fast[i].count, expected.count) << i;
        EXPECT_EQ(fast[i].broken, expected.broken) << i;
        if (expected.empty()) continue;
        EXPECT_EQ(fast[i].min, expected.min);
        EXPECT_EQ(fast[i].max, expected.max);
        EXPECT_NEAR(fast[i].sum, expected.sum, 1e-9 * double(expected.count) + 1e-9);
    }
}

TEST(Series, EvenRowsAreFoundAsUnevenOnesAre) {
    for (const Step apart : {1, 3}) {
        Series series;
        for (Step i = 0; i < 9000; ++i) series.append(7 + i * apart, double(i));
        for (Step step = -5; step < 9100 * apart; step += 13) {
            const std::int64_t expected = std::clamp<Step>((step - 7 + apart - 1) / apart, 0, 9000);
            ASSERT_EQ(series.lowerBound(step), step <= 7 ? 0 : expected) << step;
        }
    }
}

/// A live run of a million steps: every row is still there, in less than 6 bytes.
TEST(Series, AMillionRowsTakeLittleMemoryAndAreAllKept) {
    constexpr Step kRows = 1'000'000;
    for (const Step apart : {1, 5}) {
        Series series;
        const auto valueAt = [](Step i) {
            return i == 777'777 ? 50.0 : i == 123'456 ? -50.0 : double(float(bell(4, std::uint64_t(i))));
        };
        for (Step i = 0; i < kRows; ++i) series.append(1 + i * apart, valueAt(i));
        EXPECT_EQ(series.size(), kRows);
        EXPECT_LE(series.bytes(), std::size_t(3 * kRows));
        EXPECT_EQ(series.range().first, 1);
        EXPECT_EQ(series.range().last, 1 + (kRows - 1) * apart);
        const Bucket all = series.bucket(0, kRows);
        EXPECT_EQ(all.min, -50);
        EXPECT_EQ(all.max, 50);
        for (const Step i : {Step(0), Step(4095), Step(4096), Step(123'456), Step(777'777), kRows - 1}) {
            EXPECT_EQ(series.at(i).step, 1 + i * apart);
            EXPECT_EQ(series.at(i).value, valueAt(i));
            EXPECT_EQ(series.nearest(double(1 + i * apart))->value, valueAt(i)) << "what the cursor shows";
        }
        for (Step i = 0; i < kRows; i += 997) ASSERT_EQ(series.at(i).value, valueAt(i)) << i;
    }
}

/// The rows of a long run move to the disk and stay what they are.
TEST(Series, TheMemoryOfALongRunHasALimit) {
    const auto valueAt = [](Step i) { return i % 50'000 == 7 ? std::nan("") : double(float(bell(4, std::uint64_t(i)))); };
    const auto made = [&](Step rows, Step apart) {
        Series series;
        for (Step i = 0; i < rows; ++i) series.append(i * apart + (apart > 1 && i % 3 == 0), valueAt(i));
        return series;
    };
    constexpr Step kRows = 2'000'000;
    for (const Step apart : {1, 7}) {
        const Series half = made(kRows / 2, apart), whole = made(kRows, apart);
        EXPECT_LE(double(whole.bytes()), double(half.bytes()) + 0.3 * double(kRows) / 2);
        for (Step i = 0; i < kRows; i += 991) {
            const Row row = whole.at(i);
            ASSERT_EQ(row.step, i * apart + (apart > 1 && i % 3 == 0));
            ASSERT_TRUE(row.value == valueAt(i) || (std::isnan(row.value) && std::isnan(valueAt(i)))) << i;
            ASSERT_EQ(whole.lowerBound(row.step), i);
        }
        Bucket expected;
        for (Step i = 1000; i < kRows - 500; ++i) expected.add(valueAt(i));
        const Bucket bucket = whole.bucket(1000, kRows - 500);
        EXPECT_EQ(bucket.min, expected.min);
        EXPECT_EQ(bucket.max, expected.max);
        EXPECT_EQ(bucket.count, expected.count);
        EXPECT_EQ(bucket.broken, expected.broken);
        EXPECT_NEAR(bucket.sum, expected.sum, 1e-6 * double(kRows));
    }
    qputenv("TMPDIR", "/nowhere");
    const Series kept = made(kRows / 2, 1);
    qunsetenv("TMPDIR");
    EXPECT_EQ(kept.at(5).value, valueAt(5)) << "without a disk the rows stay in memory";
    EXPECT_GE(kept.bytes(), std::size_t(5 * kRows / 2));
}

TEST(Series, AHoleInsideAChunkKeepsTheStepsAroundIt) {
    Series series;
    std::vector<Step> steps;
    for (Step i = 0; i < 3 * Series::kChunk; ++i) steps.push_back(i < 5000 ? i : i + 700);
    for (const Step step : steps) series.append(step, double(step));
    for (std::size_t i = 0; i < steps.size(); i += 7) ASSERT_EQ(series.at(std::int64_t(i)).step, steps[i]) << i;
    EXPECT_EQ(series.lowerBound(5001), 5000);
    EXPECT_EQ(series.rows({5400, 5500}, 10).size(), 2U) << "the neighbours of the hole";
}

TEST(Series, ColumnsOfAPictureLoseNoRowAndMoveTheirEdgesALittle) {
    Series series;
    for (Step i = 0; i < 20'000; ++i) series.append(i, bell(3, std::uint64_t(i)));
    for (const Step width : {3, 40, 333}) {
        std::vector<Step> edges;
        for (Step edge = 100; edge <= 19'000; edge += width) edges.push_back(edge);
        std::vector<Bucket> exact(edges.size() - 1), drawn(exact.size());
        series.buckets(edges, exact);
        series.pictureBuckets(edges, drawn);
        std::int64_t rows = 0, moved = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            rows += drawn[i].count - exact[i].count;
            moved = std::max(moved, std::abs(rows));
        }
        EXPECT_EQ(rows, 0);
        EXPECT_LE(moved, width < 2 * Series::kFan ? 0 : Series::kFan / 2) << width;
    }
}

TEST(Series, ACopyDoesNotGrow) {
    Series series;
    for (Step step = 0; step < 5000; ++step) series.append(step, double(step));
    const Series copy = series;
    series.append(5000, 1);
    EXPECT_EQ(copy.size(), 5000);
    EXPECT_EQ(copy.range().last, 4999);
    EXPECT_EQ(series.size(), 5001);
    EXPECT_THROW(series.append(5000, 2), std::invalid_argument);
}

TEST(Series, FindsRowsNeighboursAndNearest) {
    Series series;
    for (Step step = 0; step <= 10000; step += 10) series.append(step, double(step) / 10);
    const auto rows = series.rows({95, 125}, 100);
    ASSERT_EQ(rows.size(), 5U);  // 90 | 100 110 120 | 130
    EXPECT_EQ(rows.front().step, 90);
    EXPECT_EQ(rows.back().step, 130);
    EXPECT_EQ(series.rows({0, 10000}, 7).size(), 7U);
    EXPECT_EQ(series.count({95, 125}), 3);
    EXPECT_EQ(series.nearest(104)->step, 100);
    EXPECT_EQ(series.nearest(105)->step, 100) << "of two equally near the earlier";
    EXPECT_EQ(series.nearest(106)->step, 110);
    EXPECT_EQ(series.nearest(-5)->step, 0);
    EXPECT_EQ(series.nearest(1e9)->step, 10000);
    EXPECT_FALSE(Series().nearest(3));
    EXPECT_TRUE(Series().range().empty());
}

TEST(Series, SaysNothingWhereItHasNoRow) {
    Series every;
    for (Step step = 1; step <= 60; ++step) every.append(step, double(step));
    EXPECT_EQ(every.recordedAt(60)->value, 60);
    EXPECT_FALSE(every.recordedAt(61)) << "behind its end";
    EXPECT_FALSE(every.recordedAt(1133));
    EXPECT_FALSE(every.recordedAt(0));
    Series hundredth;
    for (const Step step : {100, 200, 300, 400, 800, 900, 930}) hundredth.append(step, double(step));
    EXPECT_EQ(hundredth.recordedAt(140)->step, 100);
    EXPECT_EQ(hundredth.recordedAt(160)->step, 200);
    EXPECT_EQ(hundredth.recordedAt(500)->step, 400);
    EXPECT_FALSE(hundredth.recordedAt(550)) << "a gap";
    EXPECT_EQ(hundredth.recordedAt(710)->step, 800);
    EXPECT_EQ(hundredth.recordedAt(912)->step, 900);
    EXPECT_EQ(hundredth.lastBy(199)->step, 100);
    EXPECT_FALSE(hundredth.lastBy(99));
    EXPECT_EQ(hundredth.lastBy(499)->step, 400);
    EXPECT_FALSE(hundredth.lastBy(500)) << "the next one would have been due";
    EXPECT_EQ(hundredth.lastBy(1029)->step, 930);
    EXPECT_FALSE(hundredth.lastBy(1030));
    EXPECT_FALSE(Series().recordedAt(1));
    EXPECT_FALSE(Series().lastBy(1));
}

TEST(Series, KnowsThinnedRowsFromAGap) {
    Series series;
    for (Step step = 1; step <= 1000; ++step) series.append(step, 1);
    for (Step step = 1008; step <= 1080; step += 8) series.append(step, 2);
    for (Step step = 1081; step <= 2000; ++step) series.append(step, 3);
    EXPECT_EQ(series.recordedAt(1044)->step, 1040) << "every eighth is recorded there";
    Series hole;
    for (Step step = 1; step <= 1000; ++step) hole.append(step, 1);
    for (Step step = 1080; step <= 2000; ++step) hole.append(step, 3);
    EXPECT_FALSE(hole.recordedAt(1040));
    EXPECT_EQ(hole.recordedAt(1001)->step, 1000);
}

TEST(Series, ASingleRowHoldsForAsLongAsItTook) {
    Series series;
    series.append(60, 2);
    EXPECT_EQ(series.lastBy(119)->step, 60);
    EXPECT_FALSE(series.lastBy(120));
    EXPECT_FALSE(series.recordedAt(61));
}

TEST(Smoothing, IsTheFormula) {
    // n = 2, rows at 0, 1, 3: by hand.
    EmaFilter filter(2);
    EXPECT_DOUBLE_EQ(filter.next(0, 4), 4);
    EXPECT_NEAR(filter.next(1, 0), 4 * std::exp(-0.5) / (1 + std::exp(-0.5)), 1e-14) << "the weighted mean of 4 and 0";
    const double one = 1 - std::exp(-0.5), two = 1 - std::exp(-1.0);  // weights of rows 1 and 2 steps after the one before
    const double all = one * std::exp(-1.5) + one * std::exp(-1.0) + two;
    EXPECT_NEAR(filter.next(3, 10), (4 * one * std::exp(-1.5) + 10 * two) / all, 1e-13);
    EXPECT_NEAR(filter.next(4, std::nan("")), (4 * one * std::exp(-1.5) + 10 * two) / all, 1e-13) << "skipped";
}

TEST(Smoothing, IsExactBelowSixteenStepsABucket) {
    EXPECT_EQ(smoothingBucket(200, 1), 1);
    EXPECT_EQ(smoothingBucket(256, 1), 16);
    EXPECT_EQ(smoothingBucket(2560, 10), 16);
    EXPECT_EQ(smoothingBucket(4096, 1), 256);
    const auto raw = lossSeries({9, 1.2, 0.3, 20'000, 1, 5});
    const Series fast = smooth(*raw, 200);
    const std::vector<double> exact = ema(*raw, 200);
    ASSERT_EQ(fast.size(), raw->size());
    for (std::int64_t i = 0; i < fast.size(); ++i) EXPECT_NEAR(fast.at(i).value, exact[std::size_t(i)], 1e-6);
}

TEST(Smoothing, CoarseStaysWithinTheStatedBound) {
    for (const double n : {300.0, 5000.0}) {
        const auto raw = lossSeries({9, 1.2, 0.5, 60'000, 1, 6});
        const std::int64_t bucket = smoothingBucket(n, 1);
        ASSERT_GT(bucket, 1);
        double widest = 0;
        for (std::int64_t i = 0; i + bucket <= raw->size(); i += bucket) {
            const Bucket rows = raw->bucket(i, i + bucket);
            widest = std::max(widest, rows.max - rows.min);
        }
        const std::vector<double> exact = ema(*raw, n);
        const Series coarse = smooth(*raw, n);
        double error = 0;
        for (std::int64_t i = 0; i < coarse.size(); ++i)
            error = std::max(error, std::abs(coarse.at(i).value - exact[std::size_t(raw->lowerBound(coarse.at(i).step))]));
        EXPECT_LE(error, widest / 128) << "n " << n;
        EXPECT_GT(error, 0) << "the test sees a difference at all";
        EXPECT_EQ(coarse.range().last, raw->range().last) << "the live end is not late";
    }
}

TEST(Smoothing, AGrownSeriesGivesWhatTheWholeGives) {
    const auto whole = lossSeries({9, 1.2, 0.3, 12'345, 1, 7});
    for (const double n : {100.0, 600.0}) {
        Smoother smoother;
        std::shared_ptr<const Series> last;
        double lastN = 0;
        QObject::connect(&smoother, &Smoother::ready, &smoother,
                         [&](int, const std::shared_ptr<const Series>& s, double usedN) { last = s, lastN = usedN; });
        auto growing = std::make_shared<Series>();
        for (const std::int64_t size : {1000, 1007, 6000, 12'345}) {
            while (growing->size() < size) growing->append(whole->at(growing->size()).step, whole->at(growing->size()).value);
            last.reset();
            smoother.request(1, std::make_shared<const Series>(*growing), n);
            ASSERT_TRUE(waitUntil([&] { return last != nullptr; }));
        }
        EXPECT_EQ(lastN, n);
        const Series expected = smooth(*whole, n);
        ASSERT_EQ(last->size(), expected.size());
        for (std::int64_t i = 0; i < expected.size(); ++i) ASSERT_EQ(last->at(i).value, expected.at(i).value) << i;
    }
}

TEST(Smoothing, RowsThatComeFurtherApartAreSmoothedAnew) {
    constexpr double kN = 2000;
    Smoother smoother;
    std::shared_ptr<const Series> last;
    QObject::connect(&smoother, &Smoother::ready, &smoother,
                     [&](int, const std::shared_ptr<const Series>& s, double) { last = s; });
    Series rows;
    const auto ask = [&] {
        last.reset();
        smoother.request(1, std::make_shared<const Series>(rows), kN);
        return waitUntil([&] { return last != nullptr; });
    };
    const auto valueAt = [](Step step) { return 3 + std::sin(double(step) / 700); };
    for (Step step = 1; step <= 5000; ++step) rows.append(step, valueAt(step));
    ASSERT_TRUE(ask());
    ASSERT_LT(last->size(), rows.size()) << "rows that stand close are smoothed by the bucket";
    for (Step step = 5100; step <= 60'000; step += 100) rows.append(step, valueAt(step));
    ASSERT_TRUE(ask());
    const Series expected = smooth(rows, kN);
    ASSERT_EQ(last->size(), expected.size());
    for (std::int64_t i = 0; i < expected.size(); ++i) ASSERT_EQ(last->at(i).value, expected.at(i).value) << i;
}

TEST(Smoothing, DyingWhileATaskRunsIsSafe) {
    const auto raw = lossSeries({9, 1.2, 0.3, 200'000, 1, 8});
    for (int i = 0; i < 20; ++i) {
        Smoother smoother;
        smoother.request(i, raw, 100);
    }
    EXPECT_TRUE(waitUntil([] { return true; }));
}

TEST(StepAxis, MapsBothWays) {
    const StepAxis plain;
    EXPECT_EQ(plain.toX(12), 12);
    const StepAxis epochs(QStringLiteral("epoch"), {{0, 0}, {227, 1}, {681, 2}});
    EXPECT_DOUBLE_EQ(epochs.toX(454), 1.5);
    EXPECT_DOUBLE_EQ(epochs.toX(-227), -1);
    EXPECT_DOUBLE_EQ(epochs.toX(681 + 454), 3);
    for (const double step : {-100.0, 0.0, 100.0, 227.0, 500.0, 681.0, 2000.0})
        EXPECT_NEAR(epochs.toStep(epochs.toX(step)), step, 1e-9);
    EXPECT_THROW(StepAxis(QString(), {{0, 0}}), std::invalid_argument);
    EXPECT_THROW(StepAxis(QString(), {{0, 0}, {1, 0}}), std::invalid_argument);
}
