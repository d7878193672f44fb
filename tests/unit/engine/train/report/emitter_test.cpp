// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/emitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

using Pressure = EventSink::Pressure;

/// A recorder that has room at the n-th question; 0: never.
class SlowSink final : public EventSink {
public:
    explicit SlowSink(int roomAt) : roomAt_(roomAt) {}
    Pressure emit(Event event) override {
        events.push_back(std::move(event));
        return Pressure::Pause;
    }
    Pressure pressure() const override { return ++asked_ == roomAt_ ? Pressure::None : Pressure::ThinScalars; }

    std::vector<Event> events;

private:
    const int roomAt_;
    mutable int asked_ = 0;
};

TEST(AwaitRoom, WaitsForARecorderThatMakesRoom) {
    SlowSink sink(5);
    const Emitter emitter(sink, "run", 1);
    EXPECT_TRUE(emitter.awaitRoom(std::chrono::minutes(1)));
    EXPECT_TRUE(sink.events.empty()) << "no state changes";
}

TEST(AwaitRoom, GivesUpWhereTheRecorderStandsStill) {
    SlowSink sink(0);
    const Emitter emitter(sink, "run", 1);
    EXPECT_FALSE(emitter.awaitRoom(std::chrono::milliseconds(20)));
}

}  // namespace
}  // namespace heddle
