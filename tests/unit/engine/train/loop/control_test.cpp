// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/control.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::Not;
using Pressure = EventSink::Pressure;

/// A recorder that has room after it was asked `looks` times.
class SlowSink final : public EventSink {
public:
    explicit SlowSink(int looks) : looks_(looks) {}
    Pressure emit(Event event) override {
        events.push_back(std::move(event));
        return pressure();
    }
    Pressure pressure() const override { return looks_ > 0 && --looks_ > 0 ? full : Pressure::None; }

    std::vector<Event> events;
    Pressure full = Pressure::Pause;

private:
    mutable int looks_;
};

TEST(AwaitRoom, WaitsForARecorderThatMakesRoomWithoutAChangeOfState) {
    SlowSink sink(5);
    Mailbox mailbox;
    Emitter emitter(sink, "run", 1);
    Control control(mailbox, emitter);
    control.awaitRoom();
    EXPECT_EQ(sink.pressure(), Pressure::None);
    EXPECT_TRUE(sink.events.empty());
}

TEST(AwaitRoom, GivesUpWhenTheRunMustStop) {
    test::RecordingSink sink;
    sink.pressureNow = Pressure::Pause;
    Mailbox mailbox;
    Emitter emitter(sink, "run", 1);
    Control control(mailbox, emitter);
    control.setState(RunState::Preparing, "");
    control.setState(RunState::Running, "");
    mailbox.put({Command::Kind::Stop, "user", 0, {}});
    control.awaitRoom();
    EXPECT_TRUE(control.stopRequested());
    const auto began = std::chrono::steady_clock::now();
    control.awaitRoom();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
    EXPECT_THAT(sink.states(), Contains(RunState::Stopping));
    EXPECT_THAT(sink.states(), Not(Contains(RunState::Paused)));
}

TEST(AwaitRoom, PausesWhereTheRecorderStandsStill) {
    test::RecordingSink sink;
    sink.pressureNow = Pressure::Pause;
    sink.onEvent = [&](const Event& event) {
        const auto* change = std::get_if<StateChanged>(&event.body);
        if (change && change->state == RunState::Paused) sink.pressureNow = Pressure::None;
    };
    Mailbox mailbox;
    Emitter emitter(sink, "run", 1);
    Control control(mailbox, emitter);
    control.setState(RunState::Preparing, "");
    control.setState(RunState::Running, "");
    control.awaitRoom();
    EXPECT_THAT(sink.states(), Contains(RunState::Paused));
    EXPECT_EQ(sink.states().back(), RunState::Running);
}

}  // namespace
}  // namespace heddle
