// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/task.h"

#include "tests/ui/support/offscreen.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace heddle::ui {
namespace {

using test::waitUntil;
using testing::ElementsAre;
using testing::IsEmpty;

/// A task whose work waits until it is let go or cancelled, and returns the number that it was given.
struct TaskTest : testing::Test {
    QObject owner_;
    std::vector<int> answers_;
    QStringList problems_;
    std::vector<std::pair<std::int64_t, std::int64_t>> told_;
    std::atomic<bool> isLetGo_ = false, wasCancelled_ = false;
    std::unique_ptr<Task<int>> task_ = std::make_unique<Task<int>>(
        &owner_,
        [this](Result<int> answer) {
            EXPECT_FALSE(task_->isRunning()) << "the answer may start the next work";
            if (answer)
                answers_.push_back(*answer);
            else
                problems_ << answer.problem().what;
        },
        [this](std::int64_t done, std::int64_t all) { told_.emplace_back(done, all); });

    void startSlowly(int answer) {
        task_->start(Pool{}, [this, answer](const TaskControl& task) {
            while (!isLetGo_ && !task.isCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            wasCancelled_ = task.isCancelled();
            return answer;
        });
    }
};

TEST_F(TaskTest, ItTellsWhatIsDoneSeldomAndThenAnswers) {
    task_->start(Pool{}, [](const TaskControl& task) {
        for (int i = 1; i <= 1000; ++i) task.advance(i, 1000);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return 7;
    });
    EXPECT_TRUE(task_->isRunning());
    ASSERT_TRUE(waitUntil([&] { return !answers_.empty(); }));
    EXPECT_THAT(answers_, ElementsAre(7));
    ASSERT_FALSE(told_.empty());
    EXPECT_LT(told_.size(), 4U);
    EXPECT_EQ(told_.back(), std::pair(std::int64_t{1000}, std::int64_t{1000}));
}

TEST_F(TaskTest, CancelledWorkAnswersWithWhatItHas) {
    startSlowly(3);
    EXPECT_FALSE(task_->isCancelled());
    task_->cancel();
    EXPECT_TRUE(task_->isRunning()) << "until the work has ended";
    ASSERT_TRUE(waitUntil([&] { return !answers_.empty(); }));
    EXPECT_TRUE(task_->isCancelled());
    EXPECT_THAT(answers_, ElementsAre(3));
}

TEST_F(TaskTest, WhatIsDroppedIsCancelledAndNotAnswered) {
    startSlowly(1);
    startSlowly(2);
    ASSERT_TRUE(waitUntil([&] { return wasCancelled_.load(); })) << "the first gives way to the second";
    isLetGo_ = true;
    ASSERT_TRUE(waitUntil([&] { return !task_->isRunning(); }));
    EXPECT_THAT(answers_, ElementsAre(2));
    EXPECT_FALSE(task_->isCancelled());
}

TEST_F(TaskTest, AProblemIsTold) {
    task_->start(Pool{}, [](const TaskControl&) -> int { throw std::runtime_error("no"); });
    ASSERT_TRUE(waitUntil([&] { return !task_->isRunning(); }));
    EXPECT_THAT(answers_, IsEmpty());
    EXPECT_EQ(problems_, QStringList{QStringLiteral("no")});
}

TEST_F(TaskTest, ItEndsWithItsOwner) {
    startSlowly(1);
    task_.reset();
    EXPECT_TRUE(waitUntil([&] { return wasCancelled_.load(); }));
    EXPECT_THAT(answers_, IsEmpty());
}

}  // namespace
}  // namespace heddle::ui
