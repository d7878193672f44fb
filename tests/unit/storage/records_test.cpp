// SPDX-License-Identifier: Apache-2.0
#include "storage/database_report.h"
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace heddle::storage {
namespace {

using testing::ElementsAre;

class RecordsTest : public StorageTest {
protected:
    static MapRecord mapAt(std::int64_t step, std::int64_t probe = 0) {
        MapRecord map;
        map.run = kRun;
        map.step = step;
        map.name = "weight";
        map.path = "encoder.layers.0.self";
        map.probe = probe;
        map.heads = 2;
        map.rows = 3;
        map.columns = 4;
        for (int i = 0; i < 24; ++i) map.values.push_back(static_cast<float>(i) / 32);
        map.rowTokens = {"ein", "Hund", "."};
        map.columnTokens = {"a", "dog", "runs", "."};
        return map;
    }
    static HistogramRecord histogramAt(std::int64_t step, std::int64_t attempt = 1) {
        HistogramRecord histogram;
        histogram.run = kRun;
        histogram.step = step;
        histogram.attempt = attempt;
        histogram.name = "gate";
        histogram.path = "encoder.layers.0.self.residual";
        histogram.bins = {0, 5, std::numeric_limits<std::uint32_t>::max(), 7};
        histogram.below = 1;
        histogram.above = 2;
        histogram.notFinite = 3;
        histogram.mean = std::nan("");
        histogram.minimum = -std::numeric_limits<double>::infinity();
        histogram.maximum = 0.75;
        return histogram;
    }
};

// SQLite stores −0 as 0 in a REAL column and every NaN as NULL, so a checksum must treat them alike.
TEST_F(RecordsTest, MinusZeroAndEveryNaNComeBackSound) {
    auto store = storeWithRun();
    store->add(EvaluationRecord{kRun, 1, 100, 1, "valid", "loss", "", -0.0, 10, 0});
    HistogramRecord histogram = histogramAt(100);
    histogram.minimum = -0.0;
    histogram.mean = -std::nan("");
    histogram.deviation = std::nan("1");
    store->add(histogram);
    auto query = RunQuery::open(file_);
    ASSERT_EQ(query->evaluations(kRun).size(), 1U);
    EXPECT_EQ(query->evaluations(kRun)[0].value, 0);
    EXPECT_FALSE(query->evaluations(kRun)[0].damaged);
    const auto index = query->histogramIndex(kRun);
    ASSERT_EQ(index.size(), 1U);
    EXPECT_TRUE(query->histogram(kRun, index[0]).has_value());
    EXPECT_TRUE(query->damages().empty());
}

TEST_F(RecordsTest, EvaluationsShowTheNewestAttempt) {
    auto store = storeWithRun();
    store->add(EvaluationRecord{kRun, 1, 100, 1, "valid", "bleu", "sig", 30.25, 1014, 1.5});
    store->add(EvaluationRecord{kRun, 1, 200, 2, "valid", "bleu", "sig", 31, 1014, 1.5});
    store->add(EvaluationRecord{kRun, 2, 200, 2, "valid", "bleu", "sig", 32, 1014, 1.5});
    store->add(EvaluationRecord{kRun, 2, 200, 2, "test", "loss", "", std::nan(""), 7, 0});
    auto query = RunQuery::open(file_);
    auto found = query->evaluations(kRun);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].value, 30.25);
    EXPECT_EQ(found[0].signature, "sig");
    EXPECT_EQ(found[0].n, 1014);
    EXPECT_EQ(found[1].split, "test");
    EXPECT_TRUE(std::isnan(found[1].value));
    EXPECT_EQ(found[2].value, 32);
    EXPECT_EQ(found[2].attempt, 2);
    EXPECT_EQ(query->evaluations(kRun, query->revision() - 1).size(), 1U);
}

TEST_F(RecordsTest, HistogramsComeBackWhole) {
    auto store = storeWithRun();
    store->add(histogramAt(20));
    store->add(histogramAt(40));
    HistogramRecord newer = histogramAt(40, 2);
    newer.bins = {9};
    store->add(newer);
    auto query = RunQuery::open(file_);
    auto index = query->histogramIndex(kRun);
    ASSERT_EQ(index.size(), 2U);
    auto back = query->histogram(kRun, index[0]);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->bins, histogramAt(20).bins);
    EXPECT_EQ(back->below, 1U);
    EXPECT_EQ(back->above, 2U);
    EXPECT_EQ(back->notFinite, 3U);
    EXPECT_TRUE(std::isnan(back->mean));
    EXPECT_EQ(back->minimum, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(back->maximum, 0.75);
    EXPECT_THAT(query->histogram(kRun, index[1])->bins, ElementsAre(9));
    EXPECT_FALSE(query->histogram(kRun, {"gate", "nowhere", 20, 0}));
}

TEST_F(RecordsTest, MapsComeBackWhole) {
    auto store = storeWithRun();
    store->add(mapAt(10));
    store->add(mapAt(10, 1));
    auto query = RunQuery::open(file_);
    auto index = query->mapIndex(kRun);
    ASSERT_EQ(index.size(), 2U);
    EXPECT_EQ(index[1].probe, 1);
    auto back = query->map(kRun, index[1]);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->values, mapAt(10).values);  // multiples of 1/32 are halves exactly
    EXPECT_EQ(back->heads, 2);
    EXPECT_EQ(back->rows, 3);
    EXPECT_EQ(back->columns, 4);
    EXPECT_EQ(back->rowTokens, mapAt(10).rowTokens);
    EXPECT_EQ(back->columnTokens, mapAt(10).columnTokens);
    MapRecord wrong = mapAt(20);
    wrong.values.pop_back();
    EXPECT_THROW(store->add(wrong), StorageError);
}

TEST_F(RecordsTest, AReaderThatFollowsGetsOnlyNewSnapshots) {
    auto store = storeWithRun();
    store->add(histogramAt(20));
    auto query = RunQuery::open(file_);
    auto news = query->histogramsSince(kRun, {});
    EXPECT_TRUE(news.isComplete);
    EXPECT_EQ(news.snapshots, query->histogramIndex(kRun));
    EXPECT_THAT(query->histogramsSince(kRun, news.place).snapshots, ElementsAre());
    const std::string other = "ba9876543210";
    store->addRun(runRecord(other));
    HistogramRecord foreign = histogramAt(30);
    foreign.run = other;
    store->add(foreign);
    store->add(histogramAt(20, 2));
    store->add(histogramAt(40));
    news = query->histogramsSince(kRun, news.place);
    EXPECT_FALSE(news.isComplete);
    const RunQuery::Snapshot first = query->histogramIndex(kRun).front(), last = query->histogramIndex(kRun).back();
    EXPECT_THAT(news.snapshots, ElementsAre(first, last));
    EXPECT_EQ(last.step, 40);
    EXPECT_TRUE(query->damages().empty());
}

TEST_F(RecordsTest, AReaderThatFollowsGetsTheWholeIndexWhenMapsAreRemoved) {
    auto store = storeWithRun();
    for (std::int64_t step : {0, 1, 2, 4}) store->add(mapAt(step, 1));
    auto query = RunQuery::open(file_);
    const auto before = query->mapsSince(kRun, {});
    store->thinMaps(kRun);
    store->add(mapAt(8, 1));
    const auto after = query->mapsSince(kRun, before.place);
    EXPECT_TRUE(after.isComplete);
    EXPECT_EQ(after.snapshots, query->mapIndex(kRun));
    store->add(mapAt(16, 2));
    const auto news = query->mapsSince(kRun, after.place);
    EXPECT_FALSE(news.isComplete);
    ASSERT_EQ(news.snapshots.size(), 1U);
    EXPECT_EQ(news.snapshots[0], (RunQuery::Snapshot{"weight", "encoder.layers.0.self", 16, 2}));
}

TEST_F(RecordsTest, ThinningRemovesEverySecondStepOfTheOlderHalf) {
    auto store = storeWithRun();
    for (std::int64_t step : {0, 1, 2, 4, 8, 16, 32, 64}) store->add(mapAt(step));
    std::uint64_t before = store->mapBytes(kRun);
    EXPECT_GT(before, 0U);
    auto steps = [&] {
        std::vector<std::int64_t> found;
        for (const auto& which : RunQuery::open(file_)->mapIndex(kRun)) found.push_back(which.step);
        return found;
    };
    store->thinMaps(kRun);
    EXPECT_THAT(steps(), ElementsAre(0, 2, 8, 16, 32, 64));
    EXPECT_EQ(store->mapBytes(kRun), before / 8 * 6);
    std::uint64_t bytes = store->mapBytes(kRun);
    while (steps().size() > 1) {  // every call frees something
        store->thinMaps(kRun);
        ASSERT_LT(store->mapBytes(kRun), bytes);
        bytes = store->mapBytes(kRun);
    }
    EXPECT_THAT(steps(), ElementsAre(64));
    store->thinMaps(kRun);
    EXPECT_THAT(steps(), ElementsAre(64));
}

TEST_F(RecordsTest, SamplesOfTheNewestOrAGivenStep) {
    auto store = storeWithRun();
    store->add(SampleRecord{kRun, 1, 10, 0, "s", "r", "old"});
    store->add(SampleRecord{kRun, 1, 20, 1, "s", "r", "b"});
    store->add(SampleRecord{kRun, 1, 20, 0, "s", "r", "a"});
    store->add(SampleRecord{kRun, 2, 20, 0, "s", "r", "a again"});
    auto query = RunQuery::open(file_);
    auto newest = query->samples(kRun);
    ASSERT_EQ(newest.size(), 2U);
    EXPECT_EQ(newest[0].hypothesis, "a again");
    EXPECT_EQ(newest[1].hypothesis, "b");
    EXPECT_EQ(query->samples(kRun, 10)[0].hypothesis, "old");
    EXPECT_TRUE(query->samples(kRun, 15).empty());
}

TEST_F(RecordsTest, AnAverageOfCheckpointsHasAFolderOfItsOwn) {
    auto store = storeWithRun();
    store->add(CheckpointRecord{kRun, 1, 30, "average-10-30", "anything", "w", "o", "s", 123});
    store->add(CheckpointRecord{kRun, 1, 30, "last", "", "w", "o", "s", 123});
    store->add(CheckpointRecord{kRun, 1, 30, "average-../../etc", "", "w", "o", "s", 123});
    auto found = RunQuery::open(file_)->checkpoints(kRun);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].folder, kRun + "/step-30");
    EXPECT_EQ(found[1].folder, kRun + "/average-10-30");
    EXPECT_EQ(found[2].folder, kRun + "/step-30");
    EXPECT_TRUE(isAverage("average-0-10-12"));
    for (const char* no :
         {"", "average", "average-", "average--1", "average-1-", "average-1/2", "average-a", "step-10", "last"})
        EXPECT_FALSE(isAverage(no)) << no;
    EXPECT_FALSE(isAverage("average-" + std::string(250, '1'))) << "no name of a folder";
}

TEST_F(RecordsTest, CheckpointsComeAndGo) {
    auto store = storeWithRun();
    store->add(CheckpointRecord{kRun, 1, 10, "step", "r/step-10", "w", "o", "s", 123});
    store->add(CheckpointRecord{kRun, 1, 10, "best", "r/step-10", "w", "o", "s", 123});
    store->add(CheckpointRecord{kRun, 2, 10, "step", "r/step-10", "w2", "o", "s", 123});  // written again by a replay
    auto query = RunQuery::open(file_);
    auto found = query->checkpoints(kRun);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[1].weightsSha256, "w2");
    EXPECT_EQ(found[1].attempt, 2);
    EXPECT_EQ(found[1].bytes, 123U);
    std::int64_t rev = query->revision();
    store->removeCheckpoint(kRun, 10, "best");
    EXPECT_EQ(query->checkpoints(kRun).size(), 1U);
    EXPECT_EQ(query->runs(rev).size(), 1U);  // the run carries the commit number
}

TEST_F(RecordsTest, EventsInTheirOrder) {
    auto store = storeWithRun();
    store->add(EventRecord{kRun, 1, 0, 0.5, 1000, "state", "queued → preparing", ""});
    std::int64_t rev = RunQuery::open(file_)->revision();
    store->add(EventRecord{kRun, 1, 3, 1.5, 1001, "warning", "grün\n", R"({"a":1})"});
    auto query = RunQuery::open(file_);
    ASSERT_EQ(query->events(kRun).size(), 2U);
    auto fresh = query->events(kRun, rev);
    ASSERT_EQ(fresh.size(), 1U);
    EXPECT_EQ(fresh[0].text, "grün\n");
    EXPECT_EQ(fresh[0].data, R"({"a":1})");
    EXPECT_EQ(fresh[0].seconds, 1.5);
    EXPECT_EQ(fresh[0].kind, "warning");
}

TEST_F(RecordsTest, DeletingARunLeavesNothingOfItAndEverythingOfOthers) {
    auto store = storeWithRun();
    store->addRun(runRecord("ffffffffffff", "other"));
    AttemptRecord attempt;
    attempt.run = kRun;
    store->addAttempt(attempt);
    store->append(block(1, ramp(5000)));
    SeriesAppend kept = block(1, ramp(5000));
    kept.run = "ffffffffffff";
    store->append(kept);
    store->add(mapAt(1));
    store->add(histogramAt(1));
    store->add(SampleRecord{kRun, 1, 10, 0, "s", "r", "h"});
    store->add(CheckpointRecord{kRun, 1, 10, "step", "f", "w", "o", "s", 1});
    store->add(EventRecord{kRun, 1, 0, 0, 0, "info", "", ""});
    store->add(EvaluationRecord{kRun, 1, 1, 1, "valid", "loss", "", 1, 1, 1});
    std::int64_t rev = RunQuery::open(file_)->revision();
    store->deleteRun(kRun);

    SQLite::Database database(file_, SQLite::OPEN_READONLY);
    for (const char* table : {"attempt", "evaluation", "histogram", "map", "token_list", "sample", "checkpoint", "event"}) {
        SQLite::Statement count(database, std::string("SELECT count(*) FROM ") + table);
        count.executeStep();
        EXPECT_EQ(count.getColumn(0).getInt(), 0) << table;
    }
    auto query = RunQuery::open(file_);
    EXPECT_FALSE(query->run(kRun));
    EXPECT_TRUE(lossPoints().empty());
    EXPECT_EQ(query->points("ffffffffffff", "loss", "", 0, 9999).size(), 5000U);
    auto deleted = query->deletedRuns(rev);
    ASSERT_EQ(deleted.size(), 1U);
    EXPECT_EQ(deleted[0].id, kRun);
    EXPECT_THROW(store->deleteRun(kRun), StorageError);
    kept.firstStep = 5001;
    store->append(kept);
    EXPECT_EQ(query->points("ffffffffffff", "loss", "", 0, 99999).size(), 10000U);
}

TEST_F(RecordsTest, SpaceOfADeletedRunIsGivenBack) {
    auto store = storeWithRun();
    store->append(block(1, ramp(500000)));
    store->checkpointWal();
    auto before = std::filesystem::file_size(file_);
    EXPECT_GT(before, 2000000U);
    store->deleteRun(kRun);
    store->checkpointWal();
    EXPECT_LT(std::filesystem::file_size(file_), before / 4);
}

TEST_F(RecordsTest, ItemsOfARunGoWithIt) {
    auto store = storeWithRun();
    const std::string kind = std::string("measurement ") + kRun;
    store->putItem(kind, "400", "{}");
    store->putItem("measurement fedcba987654", "400", "{}");
    store->putItem("variant", kRun, "{}");
    store->deleteRun(kRun);
    store.reset();
    const auto query = RunQuery::open(file_);
    EXPECT_TRUE(query->items(kind).empty());
    EXPECT_EQ(query->items("measurement fedcba987654").size(), 1U);
    EXPECT_EQ(query->items("variant").size(), 1U);
    EXPECT_TRUE(verifyDatabase(file_, {}).problems.empty()) << "the counts in the database are right, too";
}

TEST_F(RecordsTest, ItemsAreReplacedAndRemoved) {
    auto store = openStore();
    store->putItem("variant", "b", "{}");
    store->putItem("variant", "a", "{}");
    store->putItem("variant", "a", R"({"d":1})");
    store->putItem("colour", "a", "\"#ff0000\"");
    auto query = RunQuery::open(file_);
    auto items = query->items("variant");
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].key, "a");
    EXPECT_EQ(items[0].body, R"({"d":1})");
    store->removeItem("variant", "a");
    EXPECT_EQ(query->items("variant").size(), 1U);
    EXPECT_EQ(query->items("colour").size(), 1U);
}

}  // namespace
}  // namespace heddle::storage
