// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/chosen_checkpoint.h"

#include "app/session/requests/averages.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle::app {
namespace {

using testing::HasSubstr;

/// A completed run of 25 steps with checkpoints after 10, 20 and 25.
class ChosenCheckpointTest : public testing::Test, protected SessionFixture {
protected:
    void SetUp() override {
        const auto session = open();
        run_ = session->submit(smallSpec("base", 25));
        ASSERT_TRUE(reaches(run_, "completed"));
    }
    ChosenCheckpoint choose(const std::string& requested) const {
        const auto reader = query();
        return chooseCheckpoint(*reader, file_, *reader->run(run_), requested);
    }
    std::string problemOf(const std::string& requested) const {
        try {
            return "none: step " + std::to_string(choose(requested).record.step);
        } catch (const Error& error) {
            return error.what();
        }
    }
    std::string run_;
};

TEST_F(ChosenCheckpointTest, IsTheRequestedOne) {
    EXPECT_EQ(choose("last").record.step, 25);
    EXPECT_EQ(choose("20").record.step, 20);
    EXPECT_EQ(choose("20").folder(), file_ + ".d/" + run_ + "/step-20");
    EXPECT_EQ(readRunSpec(choose("20")).train.steps, 25);
}

TEST_F(ChosenCheckpointTest, IsTheNewestWhereNoneIsMarkedBest) {
    EXPECT_EQ(choose("best").record.step, 25);
    EXPECT_EQ(choose("best").record.kind, "last");
}

TEST_F(ChosenCheckpointTest, IsAnAverageOnlyWhereItIsAskedFor) {
    EXPECT_THAT(problemOf("average"), HasSubstr("there is no checkpoint \"average\""));
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        addAverage(file_, changerOf(*store), *engine_, {*query()->run(run_), {10, 25}});
        addAverage(file_, changerOf(*store), *engine_, {*query()->run(run_), {10, 20}});
    }
    EXPECT_EQ(choose("average").record.kind, "average-10-25");
    EXPECT_EQ(choose("average-10-20").folder(), file_ + ".d/" + run_ + "/average-10-20");
    {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        addAverage(file_, changerOf(*store), *engine_, {*query()->run(run_), {20, 25}});
    }
    EXPECT_THAT(problemOf("average"), HasSubstr("more than one checkpoint \"average\""));
    EXPECT_EQ(choose("average-20-25").record.kind, "average-20-25");
    EXPECT_EQ(choose("25").record.kind, "last");
    EXPECT_EQ(choose("last").record.kind, "last");
    EXPECT_EQ(choose("best").record.kind, "last");
    EXPECT_THAT(problemOf("7"), HasSubstr("average-10-20"));
}

TEST_F(ChosenCheckpointTest, IsReadInThePrecisionThatItWasTrainedIn) {
    ChosenCheckpoint chosen = choose("last");
    ASSERT_EQ(readRunSpec(chosen.run).train.precision, Precision::Auto);
    chosen.precision = Precision::BFloat16;
    EXPECT_EQ(readRunSpec(chosen).train.precision, Precision::BFloat16);
    EXPECT_EQ(readRunSpec(chosen, {"train.precision=fp32"}).train.precision, Precision::Float32) << "what is asked for stays";
}

TEST_F(ChosenCheckpointTest, IsNeverAnAbsentOrDamagedOne) {
    EXPECT_THAT(problemOf("7"), HasSubstr("there is no checkpoint \"7\" (run " + run_ + "): there are: "));
    EXPECT_THAT(problemOf("7"), HasSubstr("25 (last)"));
    std::ofstream(choose("20").folder() + "/weights.safetensors") << "x";
    EXPECT_THAT(problemOf("20"), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace heddle::app
