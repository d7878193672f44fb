// SPDX-License-Identifier: Apache-2.0
// The time of a step beside other runs; control_rows_test has the rest.
#include "app/study/step_times.h"

#include "storage/run_store.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace heddle::app {
namespace {

using testing::HasSubstr;

class StepTimesTest : public testing::Test {
protected:
    /// Of a run of one attempt with these facts.
    StepTimes timesWith(const std::string& context) {
        storage::RunRecord run = killedRecord("0123456789ab");
        run.step = 3;
        const std::string file = folder_ / (std::to_string(++files_) + ".heddle");
        const auto store = storage::RunStore::open(file, {"test", 0});
        store->addRun(run);
        store->addAttempt({run.id, 1, 0, 1, 0, "cpu", "a", "0", "fake", 2, context, 0, "", 0});
        store->append({run.id, 1, "step_seconds", "", 1, 1, {9, 0.25, 0.5}, false});
        return stepTimesOf(*storage::RunQuery::open(file), run);
    }

    TemporaryFolder folder_;
    int files_ = 0;
};

std::string beside(int least, int most, double share) {
    return Json{{"jobs", 2}, {"runs_at_once", {{"least", least}, {"most", most}, {"runs", most}, {"share", share}}}}.dump();
}

TEST_F(StepTimesTest, ThePlaceSaysHowManyRunsThereWereAndNotHowManyWereAskedFor) {
    EXPECT_EQ(timesWith("").place, "cpu of host a, 2 threads");
    EXPECT_EQ(timesWith(beside(1, 1, 1)).place, "cpu of host a, 2 threads");
    EXPECT_EQ(timesWith(beside(2, 2, 1)).place, "cpu of host a, 2 threads, 2 runs at once");
    EXPECT_EQ(timesWith(beside(1, 2, 0.98)).place, "cpu of host a, 2 threads, 2 runs at once");
    for (const auto& context : {std::string(), beside(1, 1, 1), beside(2, 2, 1), beside(1, 2, 0.98)})
        EXPECT_EQ(timesWith(context).problem, "") << context;
}

TEST_F(StepTimesTest, ARunWhoseCompanyChangedHasNoTime) {
    const StepTimes half = timesWith(beside(1, 2, 0.6));
    EXPECT_EQ(half.problem, "was trained with 1 to 2 runs at once, so that its steps have no one time");
    EXPECT_THAT(half.next, HasSubstr("without --jobs"));
    EXPECT_THAT(timesWith(R"({"jobs":2})").problem, HasSubstr("no record says how many there were"));
    EXPECT_THAT(timesWith(R"({"jobs":2,"runs_at_once":[]})").problem, HasSubstr("no record says"));
    EXPECT_THAT(timesWith(R"({"jobs":2,"runs_at_once":{}})").problem, HasSubstr("no one time"));
}

}  // namespace
}  // namespace heddle::app
