// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/coalescing_timer.h"

#include "tests/ui/support/offscreen.h"

#include <QtTest/qtestsystem.h>
#include <gtest/gtest.h>
#include <QElapsedTimer>

namespace heddle::ui {
namespace {

using namespace std::chrono_literals;
using test::waitUntil;

TEST(CoalescingTimer, ManyRequestsAreOneCall) {
    int calls = 0;
    CoalescingTimer timer(
        nullptr, [&] { ++calls; }, 1ms);
    for (int i = 0; i < 5; ++i) timer.request();
    ASSERT_TRUE(waitUntil([&] { return calls > 0; }));
    QTest::qWait(20);
    EXPECT_EQ(calls, 1);
}

TEST(CoalescingTimer, WhatIsPostponedComesAfterTheLastRequest) {
    QElapsedTimer sinceLast;
    bool isCalled = false;
    CoalescingTimer timer(
        nullptr,
        [&] {
            isCalled = true;
            EXPECT_GE(sinceLast.elapsed(), 180) << "a coarse timer may be 5 % early";
        },
        200ms);
    for (int i = 0; i < 3; ++i) {
        timer.postpone();
        sinceLast.start();
        QTest::qWait(80);
    }
    EXPECT_TRUE(waitUntil([&] { return isCalled; }));
}

}  // namespace
}  // namespace heddle::ui
