// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/replay_check.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace heddle::app {
namespace {

using Moment = ReplayCheck::Moment;

ReplayCheck checkOf(const std::vector<float>& losses, std::int64_t firstStep) {
    ReplayCheck::Recorded recorded;
    for (std::size_t i = 0; i < losses.size(); ++i)
        recorded[{"loss", ""}].emplace_back(firstStep + static_cast<std::int64_t>(i), std::bit_cast<std::uint32_t>(losses[i]));
    return ReplayCheck(recorded);
}

TEST(ReplayCheck, EqualBitsInSeveralBlocksAreVerifiedWhenTheLastRecordedStepIsReached) {
    ReplayCheck check = checkOf({3, 2, std::nanf("1"), 1}, 11);
    check.compare({"loss", "", 11, 1, {3, 2}, true});
    EXPECT_FALSE(check.conclude(Moment::Running).has_value());
    check.compare({"loss", "", 13, 1, {std::nanf("1"), 1, 0.5F}, true});
    const auto verdict = check.conclude(Moment::Running);
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->replay, "equal");
    EXPECT_EQ(verdict->steps, 4);
    EXPECT_EQ(verdict->text, "resume verified: 4 steps equal");
    EXPECT_FALSE(check.conclude(Moment::AttemptEnded).has_value()) << "a verdict is given once";
}

TEST(ReplayCheck, OneBitIsADifference) {
    ReplayCheck check = checkOf({1.0F, 0.0F}, 1);
    check.compare({"loss", "", 1, 1, {1.0F, -0.0F}, true});
    const auto verdict = check.conclude(Moment::Running);
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->replay, "different");
    EXPECT_NE(verdict->text.find("step 2, loss: 0 recorded, -0 now"), std::string::npos) << verdict->text;
}

TEST(ReplayCheck, SeriesThatAreNotDeterministicAreNotCompared) {
    ReplayCheck check = checkOf({1}, 1);
    check.compare({"tokens_per_second", "", 1, 1, {7}, false});
    EXPECT_FALSE(check.conclude(Moment::Running).has_value()) << "the use of the machine may be recorded before the loss";
    check.compare({"loss", "", 1, 1, {1}, true});
    EXPECT_EQ(check.conclude(Moment::Running)->replay, "equal");
}

TEST(ReplayCheck, StridesAreLinedUp) {
    ReplayCheck check = checkOf({1, 2, 3, 4}, 1);
    check.compare({"loss", "", 2, 2, {2, 4}, true});
    const auto verdict = check.conclude(Moment::Running);
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->replay, "equal");
    EXPECT_EQ(verdict->steps, 2);
}

TEST(ReplayCheck, AnAttemptThatEndsEarlySaysWhatItCompared) {
    ReplayCheck check = checkOf({1, 2, 3}, 1);
    check.compare({"loss", "", 1, 1, {1}, true});
    EXPECT_FALSE(check.conclude(Moment::Running).has_value());
    const auto verdict = check.conclude(Moment::AttemptEnded);
    ASSERT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->steps, 1);
}

TEST(ReplayCheck, NothingRecordedBeyondTheCheckpoint) {
    ReplayCheck check{ReplayCheck::Recorded{}};
    EXPECT_EQ(check.conclude(Moment::Running)->replay, "nothing to compare");
    ReplayCheck none;
    EXPECT_FALSE(none.conclude(Moment::AttemptEnded).has_value()) << "a first attempt has no verdict";
}

}  // namespace
}  // namespace heddle::app
