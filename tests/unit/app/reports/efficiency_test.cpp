// SPDX-License-Identifier: Apache-2.0
// What a run cost, from rows that a recorder leaves.
#include "app/reports/efficiency.h"

#include "storage/run_store.h"
#include "tests/unit/app/session/fake_engine.h"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using storage::EventRecord;

const std::string kMeasuredRun = "0123456789ab";

class EfficiencyTest : public testing::Test {
protected:
    EfficiencyTest() {
        run_.id = kMeasuredRun;
        run_.state = "completed";
        run_.spec = "{}";
        run_.step = 40;
        store_->addRun(run_);
    }

    void attempt(std::int64_t number, double seconds, const std::string& context) {
        storage::AttemptRecord record;
        record.run = kMeasuredRun;
        record.attempt = number;
        record.seconds = seconds;
        record.context = context;
        store_->addAttempt(record);
        run_.seconds += seconds;
    }
    void state(std::int64_t attempt, double seconds, const std::string& state) {
        store_->add(EventRecord{kMeasuredRun, attempt, 0, seconds, 0, "state", state, ""});
    }
    /// An evaluation as the recorder and the memory note after it leave it.
    void evaluation(std::int64_t attempt, std::int64_t step, double loss, double over) {
        store_->add(storage::EvaluationRecord{kMeasuredRun, attempt, step, 1, "valid", "loss", "", loss, 10, 0.5});
        store_->add(EventRecord{kMeasuredRun, attempt, step, over, 0, "memory", "peak", ""});
    }
    Efficiency efficiency() const { return efficiencyOf(*storage::RunQuery::open(file_), run_); }

    TemporaryFolder folder_;
    std::string file_ = folder_ / "t.heddle";
    std::unique_ptr<storage::RunStore> store_ = storage::RunStore::open(file_, {"test", 0});
    storage::RunRecord run_;
};

TEST_F(EfficiencyTest, PreparationPausesAndTheTestSplitAreNoTraining) {
    attempt(1, 100, R"({"steps_per_epoch":10})");
    state(1, 5, "running");
    evaluation(1, 10, 3, 15);
    state(1, 20, "paused");
    state(1, 50, "running");
    evaluation(1, 20, 1, 60);
    evaluation(1, 30, 1, 70);
    evaluation(1, 40, 2, 80);
    for (const char* metric : {"loss", "bleu"})  // one evaluation, two metrics
        store_->add(storage::EvaluationRecord{kMeasuredRun, 1, 20, 4, "test", metric, "", 5, 10, 12});
    state(1, 98, "completed");
    const Efficiency found = efficiency();
    EXPECT_EQ(found.seconds, 100);
    EXPECT_DOUBLE_EQ(found.trainingSeconds, 15 + 48 - 12);
    EXPECT_DOUBLE_EQ(found.secondsPerEpoch.value(), 51.0 / 4);
    EXPECT_EQ(found.bestMetric, "loss");
    EXPECT_EQ(found.stepsToBest, 20) << "the first of equal values";
    EXPECT_DOUBLE_EQ(found.secondsToBest.value(), 15 + 10);
}

TEST_F(EfficiencyTest, AKilledAttemptCountsUntilItsLastSignOfLife) {
    run_.spec = R"({"train":{"early_stopping":{"metric":"accuracy"}}})";
    attempt(1, 30, R"({"steps_per_epoch":10})");
    state(1, 2, "running");
    state(1, 0, "interrupted");  // by the next owner, who does not know when
    state(1, 0, "preparing");
    attempt(2, 40, R"({"steps_per_epoch":20})");
    state(2, 4, "running");
    store_->add(storage::EvaluationRecord{kMeasuredRun, 2, 40, 2, "valid", "accuracy", "", 0.5, 10, 0.5});
    store_->add(EventRecord{kMeasuredRun, 2, 40, 14, 0, "memory", "peak", ""});
    const Efficiency found = efficiency();
    EXPECT_DOUBLE_EQ(found.trainingSeconds, 28 + 36) << "the second attempt is live";
    EXPECT_DOUBLE_EQ(found.secondsPerEpoch.value(), 64.0 / 2) << "the newest attempt says how long an epoch is";
    EXPECT_EQ(found.bestMetric, "accuracy");
    EXPECT_DOUBLE_EQ(found.secondsToBest.value(), 28 + 10);
}

TEST_F(EfficiencyTest, WhatIsNotKnownIsNull) {
    attempt(1, 10, "");
    state(1, 1, "running");
    const Json document = efficiencyDocument(efficiency());
    EXPECT_EQ(document.at("seconds"), 10);
    EXPECT_EQ(document.at("training_seconds"), 9);
    for (const char* key : {"seconds_per_epoch", "steps_to_best", "seconds_to_best"})
        EXPECT_TRUE(document.at(key).is_null()) << key;
    store_->add(storage::EvaluationRecord{kMeasuredRun, 1, 10, 1, "valid", "loss", "", 1, 10, 0.5});
    EXPECT_EQ(efficiency().stepsToBest, 10);
    EXPECT_FALSE(efficiency().secondsToBest) << "nothing says when the evaluation was";
}

}  // namespace
}  // namespace heddle::app
