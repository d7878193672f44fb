// SPDX-License-Identifier: Apache-2.0
// A run copied into another database reads there as it did before, whatever numbers are taken there already.
#include "storage_fixture.h"

namespace heddle::storage {
namespace {

class ImportTest : public StorageTest {
protected:
    void SetUp() override {
        StorageTest::SetUp();
        other_ = folder_ + "/other.heddle";
        auto store = storeWithRun();
        AttemptRecord attempt;
        attempt.run = kRun;
        attempt.host = "a machine";
        store->addAttempt(attempt);
        attempt.attempt = 2;
        attempt.replay = "equal";
        store->addAttempt(attempt);
        store->append(block(1, ramp(5000)));
        store->append(block(4001, ramp(100, 7), 2));
        store->add(EvaluationRecord{kRun, 1, 0, 0, "valid", "bleu", "nrefs:1", 34.5, 0, 0});
        MapRecord map;
        map.run = kRun;
        map.name = "weight";
        map.path = "encoder.layers.0.self";
        map.heads = 1;
        map.rows = map.columns = 2;
        map.values = {0.25F, 0.75F, 1, 0};
        map.rowTokens = {"ein", "hund"};
        map.columnTokens = {"a", "dog"};
        store->add(map);
        HistogramRecord histogram;
        histogram.run = kRun;
        histogram.name = "gate";
        histogram.bins = {1, 2, 3};
        store->add(histogram);
        store->add(SampleRecord{kRun, 1, 0, 0, "", "", "ein hund"});
        store->add(CheckpointRecord{kRun, 1, 0, "best", kRun + "/step-0", "", "", "", 0});
        store->add(EventRecord{kRun, 1, 0, 0, 0, "info", "said", ""});
    }

    /// The other database already has a run of its own with series and maps.
    std::unique_ptr<RunStore> crowded() {
        auto store = RunStore::open(other_, {"test", 0});
        store->addRun(runRecord("ffffffffffff"));
        SeriesAppend series = block(1, ramp(10));
        series.run = "ffffffffffff";
        store->append(series);
        return store;
    }

    std::string other_;
};

TEST_F(ImportTest, EverythingThatWasRecordedComesAlong) {
    crowded()->importRun(file_, kRun);
    const auto before = RunQuery::open(file_), after = RunQuery::open(other_);
    ASSERT_TRUE(after->run(kRun));
    EXPECT_EQ(after->run(kRun)->spec, before->run(kRun)->spec);
    ASSERT_EQ(after->attempts(kRun).size(), 2U);
    EXPECT_EQ(after->attempts(kRun)[1].replay, "equal");
    const auto old = before->points(kRun, "loss", "", 0, INT64_MAX), made = after->points(kRun, "loss", "", 0, INT64_MAX);
    ASSERT_EQ(made.size(), old.size());
    for (std::size_t i = 0; i < old.size(); ++i) {
        ASSERT_EQ(made[i].step, old[i].step);
        ASSERT_EQ(made[i].value, old[i].value);
        ASSERT_EQ(made[i].attempt, old[i].attempt);
    }
    EXPECT_EQ(after->pointsOfAttempt(kRun, 1, "loss", "", 4001, 4100).size(), 100U) << "also what a later attempt replaced";
    EXPECT_EQ(after->overview(kRun, "loss", "", 0, 6000, 10).size(), before->overview(kRun, "loss", "", 0, 6000, 10).size());
    ASSERT_EQ(after->evaluations(kRun).size(), 1U);
    EXPECT_EQ(after->evaluations(kRun)[0].value, 34.5);
    const auto map = after->map(kRun, after->mapIndex(kRun).at(0));
    ASSERT_TRUE(map);
    EXPECT_EQ(map->values, (std::vector<float>{0.25F, 0.75F, 1, 0}));
    EXPECT_EQ(map->rowTokens, (std::vector<std::string>{"ein", "hund"}));
    EXPECT_EQ(map->columnTokens, (std::vector<std::string>{"a", "dog"}));
    EXPECT_EQ(after->histogram(kRun, after->histogramIndex(kRun).at(0))->bins, (std::vector<std::uint32_t>{1, 2, 3}));
    EXPECT_EQ(after->samples(kRun).at(0).hypothesis, "ein hund");
    EXPECT_EQ(after->checkpoints(kRun).at(0).kind, "best");
    EXPECT_EQ(after->events(kRun).at(0).text, "said");
    EXPECT_EQ(after->points("ffffffffffff", "loss", "", 0, 100).size(), 10U) << "the other run is as it was";
    EXPECT_TRUE(after->damages().empty());
}

TEST_F(ImportTest, ARunThatIsThereAlreadyIsRefused) {
    auto store = crowded();
    store->importRun(file_, kRun);
    EXPECT_EQ(kindOf([&] { store->importRun(file_, kRun); }), StorageError::Kind::Invalid);
    store.reset();
    EXPECT_EQ(RunQuery::open(other_)->runs().size(), 2U);
}

TEST_F(ImportTest, AMissingRunChangesNothing) {
    EXPECT_THROW(crowded()->importRun(file_, "000000000000"), StorageError);
    EXPECT_EQ(RunQuery::open(other_)->runs().size(), 1U);
}

}  // namespace
}  // namespace heddle::storage
