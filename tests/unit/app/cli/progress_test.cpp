// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.h"
#include "app/cli/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kTerminal = 79;

TrainingProgress somewhere() {
    TrainingProgress a;
    a.name = "eau-full-multi30k s1";
    a.step = 12345;
    a.totalSteps = 100000;
    a.epoch = 3;
    a.epochs = 10;
    a.secondsLeft = 3723;
    a.loss = 2.3456;
    a.accuracy = 0.5678;
    a.stepsPerSecond = 12.3;
    a.tokensPerSecond = 34567;
    return a;
}

// Before: the time left was last, and the first to be cut off.
TEST(AdvanceLine, TheTimeLeftIsReadAtEightyColumns) {
    const std::string line = progressLine(somewhere(), kTerminal);
    EXPECT_LE(columnsOf(line), std::size_t{kTerminal}) << line;
    EXPECT_THAT(line, StartsWith("eau-full-multi30k s1  1:02:03 left  step 12345/100000  epoch 3/10  loss 2.346"));
    EXPECT_THAT(line, Not(HasSubstr("…"))) << "what does not fit is left out whole";
}

TEST(AdvanceLine, AllOfItWhereThereIsRoom) {
    EXPECT_EQ(progressLine(somewhere(), 200),
              "eau-full-multi30k s1  1:02:03 left  step 12345/100000  epoch 3/10  loss 2.346  acc 0.568  12.3 steps/s"
              "  34,567 tokens/s");
}

TEST(AdvanceLine, ASmoothedLossIsCalledWhatItIs) {
    TrainingProgress a = somewhere();
    a.isSmoothed = true;
    EXPECT_THAT(progressLine(a, 200), AllOf(HasSubstr("objective 2.346"), Not(HasSubstr("  loss"))))
        << "an evaluation's loss has no label smoothing";
}

TEST(AdvanceLine, ARunWithoutALimitSaysSoAndHowLongItIsSinceTheBest) {
    TrainingProgress a = somewhere();
    a.totalSteps = a.epochs = 0;
    a.secondsLeft = 0;
    a.patience = 5;
    a.withoutImprovement = 2;
    a.loss = a.accuracy = std::nan("");
    EXPECT_THAT(
        progressLine(a, kTerminal),
        AllOf(StartsWith("eau-full-multi30k s1  step 12345  epoch 3  not better 2/5  no limit"), Not(HasSubstr("loss"))));
}

TEST(AdvanceLine, ALongNameLeavesRoomForTheRest) {
    TrainingProgress a = somewhere();
    a.name = std::string(300, 'n');
    EXPECT_THAT(progressLine(a, kTerminal), HasSubstr("1:02:03 left  step 12345/100000"));
    EXPECT_LE(columnsOf(progressLine(a, kTerminal)), std::size_t{kTerminal});
}

}  // namespace
}  // namespace heddle::app
