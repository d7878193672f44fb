// SPDX-License-Identifier: Apache-2.0
// Checkpoints that cannot be written: the run waits, or goes on without them, and says so.
#include "tests/unit/engine/train/failing_calls.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using enum RunState;

/// Six steps with a checkpoint every second one.
struct ShortAttempt : test::Attempt {
    ShortAttempt() : test::Attempt(40, 6) {
        spec.train.epochs = 0;
        spec.train.steps = 6;
        spec.train.checkpointEvery = 2;
    }
};

/// The run's folder cannot be written (here a file is in its place): no Error of a checkpoint ends a run.
TEST(FailedCheckpoint, IsToldAndWrittenWhenItCanBe) {
    ShortAttempt attempt;
    const std::string run = attempt.folder / "run", away = attempt.folder / "away";
    attempt.sink.onEvent = [&](const Event& event) {
        if (std::holds_alternative<CheckpointWritten>(event.body) && event.step == 2) {
            fs::rename(run, away);
            test::writeFile(run, "in the way");
        }
        const auto* state = std::get_if<StateChanged>(&event.body);
        if (!state || state->state != Paused) return;
        fs::remove(run);
        fs::rename(away, run);
    };
    EXPECT_EQ(attempt.run().state, Completed);
    const auto skipped = attempt.sink.all<CheckpointSkipped>();
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].lastGoodStep, 2);
    EXPECT_THAT(attempt.sink.states(), ElementsAre(Preparing, Running, Paused, Running));
    std::set<std::int64_t> steps;
    for (const Event& event : attempt.sink.events)
        if (std::holds_alternative<CheckpointWritten>(event.body)) steps.insert(event.step);
    EXPECT_THAT(steps, testing::IsSupersetOf({0, 2, 4, 6}));
}

/// What the system may answer, and at which call: the disk is full, the quota is, no inode is left, the disk is faulty.
TEST(FailedCheckpoint, NoErrorOfTheSystemEndsTheRun) {
    const std::pair<const char*, std::vector<int>> cases[] = {
        {"mkdir", {ENOSPC, EDQUOT, EIO}}, {"open", {ENOSPC, EDQUOT, EIO}},   {"write", {ENOSPC, EDQUOT, EIO}},
        {"fsync", {ENOSPC, EDQUOT, EIO}}, {"rename", {ENOSPC, EDQUOT, EIO}}, {"read", {EIO}}};
    for (const auto& [call, errors] : cases)
        for (const int error : errors) {
            SCOPED_TRACE(std::string(call) + ": " + std::strerror(error));
            ShortAttempt attempt;
            std::optional<test::FailingCalls> faults;
            attempt.sink.onEvent = [&, call = call](const Event& event) {
                if (std::holds_alternative<CheckpointWritten>(event.body) && event.step == 2)
                    faults.emplace(attempt.folder / "run", call, error);
                const auto* state = std::get_if<StateChanged>(&event.body);
                if (!state || state->state != Paused) return;
                faults.reset();
                attempt.mailbox.put(ResumeCommand{"user"});
            };
            EXPECT_EQ(attempt.run().state, Completed);
            const auto skipped = attempt.sink.all<CheckpointSkipped>();
            ASSERT_EQ(skipped.size(), 1U);
            EXPECT_EQ(skipped[0].lastGoodStep, 2);
            const bool isFull = error != EIO;
            EXPECT_EQ(skipped[0].problem.starts_with("disk full"), isFull) << skipped[0].problem;
            EXPECT_THAT(attempt.sink.states(), ElementsAre(Preparing, Running, Paused, Running));
            std::set<std::int64_t> steps;
            for (const Event& event : attempt.sink.events)
                if (std::holds_alternative<CheckpointWritten>(event.body)) steps.insert(event.step);
            EXPECT_THAT(steps, testing::IsSupersetOf({0, 2, 6}));
        }
}

TEST(FailedCheckpoint, AQueryOfTheFreeSpaceThatFailsHoldsNothingUp) {
    ShortAttempt attempt;
    const test::FailingCalls faults(attempt.folder.path(), "statvfs", EDQUOT);
    EXPECT_EQ(attempt.run().state, Completed);
    EXPECT_TRUE(attempt.sink.all<CheckpointSkipped>().empty());
    EXPECT_GT(faults.failed(), 0);
}

TEST(FailedCheckpoint, IsLeftOutWhenTheRunIsResumedWithoutIt) {
    ShortAttempt attempt;
    const std::string run = attempt.folder / "run";
    attempt.sink.onEvent = [&](const Event& event) {
        if (std::holds_alternative<CheckpointWritten>(event.body) && event.step == 2) {
            fs::rename(run, attempt.folder / "away");
            test::writeFile(run, "in the way");
        }
        const auto* state = std::get_if<StateChanged>(&event.body);
        if (state && state->state == Paused) attempt.mailbox.put(ResumeCommand{"user"});
    };
    EXPECT_EQ(attempt.run().state, Completed);
    EXPECT_GE(attempt.sink.all<CheckpointSkipped>().size(), 2U);
}

}  // namespace
}  // namespace heddle
