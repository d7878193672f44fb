// SPDX-License-Identifier: Apache-2.0
#include "app/study/effort.h"

#include "storage/run_store.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::app {
namespace {

class EffortTest : public testing::Test {
protected:
    EffortTest() : store_(storage::RunStore::open(file_, {"test", 0})) { store_->addRun(killedRecord(run_)); }
    /// From step 1 on, one value each `stride` steps.
    void record(const char* series, std::vector<float> values, std::int64_t stride = 1) {
        store_->append({run_, 1, series, "", stride, stride, std::move(values), false});
    }
    std::map<double, Effort> at(const std::vector<double>& steps, std::optional<double> flops = {}) {
        return effortAt(*storage::RunQuery::open(file_), run_, steps, flops);
    }

    TemporaryFolder folder_;
    std::string run_ = "0123456789ab", file_ = folder_ / "runs.heddle";
    std::unique_ptr<storage::RunStore> store_;
};

TEST_F(EffortTest, IsTheSumOfTheStepsBefore) {
    record("step_seconds", {2, 1, 0.5, 0.5});
    record("tokens_per_second", {10, 20, 40, 80});
    const auto efforts = at({4, 2}, 1000);
    ASSERT_EQ(efforts.size(), 2U);
    EXPECT_DOUBLE_EQ(efforts.at(2).seconds, 3);
    EXPECT_DOUBLE_EQ(*efforts.at(2).flops, 1000 * 40.0);
    EXPECT_DOUBLE_EQ(efforts.at(4).seconds, 4);
    EXPECT_DOUBLE_EQ(*efforts.at(4).flops, 1000 * 100.0);
    EXPECT_FALSE(at({2}).at(2).flops) << "nobody knows the FLOPs of a token";
}

TEST_F(EffortTest, StepsThatWereNotRecordedCountAsTheMean) {
    record("step_seconds", {1, std::numeric_limits<float>::quiet_NaN(), 3}, 2);  // of steps 2, 4, 6
    EXPECT_DOUBLE_EQ(at({6}).at(6).seconds, 6 * 2.0);
    EXPECT_DOUBLE_EQ(at({5}).at(5).seconds, 5 * 1.0);
    EXPECT_TRUE(at({1}).empty()) << "nothing is recorded up to there";
    EXPECT_FALSE(at({6}, 1000).at(6).flops) << "no tokens were recorded";
}

}  // namespace
}  // namespace heddle::app
