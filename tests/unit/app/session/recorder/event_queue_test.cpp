// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/event_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace heddle::app {
namespace {

using Pressure = EventSink::Pressure;

Event mapOf(std::size_t floats, std::int64_t step = 1) {
    MapTaken map;
    map.values.assign(floats, 0.5F);
    return {"r", 1, step, 0, map};
}
Event state() { return {"r", 1, 1, 0, StateChanged{RunState::Running, ""}}; }

TEST(EventQueue, PressureRisesWithWhatIsNotYetCommitted) {
    const std::size_t one = estimateBytes(mapOf(1000));
    EventQueue queue(10 * one);
    EXPECT_EQ(queue.push(mapOf(1000)), Pressure::None);
    for (int i = 0; i < 4; ++i) queue.push(mapOf(1000));
    EXPECT_EQ(queue.pressure(), Pressure::ThinScalars);
    for (int i = 0; i < 3; ++i) queue.push(mapOf(1000));
    EXPECT_EQ(queue.pressure(), Pressure::Pause);
    const auto taken = queue.take();
    EXPECT_EQ(taken.events.size(), 8U);
    EXPECT_EQ(queue.pressure(), Pressure::Pause) << "taken is not yet committed";
    queue.release(taken.bytes);
    EXPECT_EQ(queue.pressure(), Pressure::None);
}

TEST(EventQueue, BeyondTheCapacityOnlyTelemetryIsDroppedAndTheGapIsTold) {
    EventQueue queue(estimateBytes(mapOf(1000)));
    queue.push(mapOf(1000, 1));
    queue.push(mapOf(1000, 2));
    queue.push(mapOf(1000, 5));
    queue.push(state());
    queue.push({"r", 1, 5, 0, EvaluationDone{}});
    queue.push({"r", 1, 5, 0, CheckpointWritten{}});
    queue.push({"r", 1, 5, 0, Failure{}});
    queue.push({"r", 1, 5, 0, Remark{}});
    const auto taken = queue.take();
    EXPECT_EQ(taken.events.size(), 6U);
    EXPECT_EQ(taken.count, 8U);
    EXPECT_EQ(queue.pushed(), 8U);
    ASSERT_EQ(taken.gaps.size(), 1U);
    const Gap& gap = taken.gaps.begin()->second;
    EXPECT_EQ(gap.firstStep, 2);
    EXPECT_EQ(gap.lastStep, 5);
    EXPECT_EQ(gap.events, 2);
}

TEST(EventQueue, BelowHalfOfTheCapacityAMapOfAnySizeIsTaken) {
    EventQueue queue(estimateBytes(mapOf(1000)));
    queue.push(mapOf(400, 1));
    queue.push(mapOf(5000, 2));
    queue.push(mapOf(10, 3));
    const auto taken = queue.take();
    ASSERT_EQ(taken.events.size(), 2U);
    EXPECT_EQ(taken.events.back().step, 2);
    ASSERT_EQ(taken.gaps.size(), 1U) << "what comes behind it is dropped as ever";
    EXPECT_EQ(taken.gaps.begin()->second.firstStep, 3);
}

TEST(EventQueue, WhatMustSurviveAPowerFailureIsUrgent) {
    const auto isUrgentBody = [](EventBody body) { return isUrgent({"r", 1, 1, 0, std::move(body)}); };
    EXPECT_TRUE(isUrgentBody(StateChanged{}));
    EXPECT_TRUE(isUrgentBody(EvaluationDone{}));
    EXPECT_TRUE(isUrgentBody(CheckpointWritten{})) << "older folders are removed right after its commit";
    EXPECT_TRUE(isUrgentBody(Failure{}));
    EXPECT_TRUE(isUrgentBody(Answer{}));
    EXPECT_FALSE(isUrgentBody(StepBlock{}));
    EXPECT_FALSE(isUrgentBody(MapTaken{}));
    EXPECT_FALSE(isUrgentBody(SampleText{}));
}

TEST(EventQueue, AWriteErrorAsksForAPause) {
    EventQueue queue(1 << 20);
    queue.setWriteError(true);
    EXPECT_EQ(queue.push(state()), Pressure::Pause);
    queue.setWriteError(false);
    EXPECT_EQ(queue.pressure(), Pressure::None);
}

TEST(EventQueue, UrgentEventsWakeTheConsumer) {
    EventQueue queue(1 << 20);
    const auto begin = EventQueue::Clock::now();
    std::thread producer([&] {
        queue.push(mapOf(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        queue.push(state());
    });
    queue.waitUntil(begin + std::chrono::seconds(20));
    EXPECT_LT(EventQueue::Clock::now() - begin, std::chrono::seconds(10));
    producer.join();
    EXPECT_EQ(queue.take().events.size(), 2U);
}

TEST(EventQueue, OrderIsKeptForEachProducer) {
    EventQueue queue(std::size_t{64} << 20);
    std::vector<std::thread> producers;
    for (int p = 0; p < 4; ++p)
        producers.emplace_back([&queue, p] {
            for (int i = 0; i < 1000; ++i) queue.push({std::to_string(p), 1, i, 0, Remark{}});
        });
    std::map<std::string, std::int64_t> last;
    std::size_t seen = 0;
    while (seen < 4000) {
        const auto taken = queue.take();
        for (const auto& event : taken.events) {
            EXPECT_EQ(event.step, last[event.run]++);
            ++seen;
        }
        queue.release(taken.bytes);
    }
    for (auto& producer : producers) producer.join();
}

}  // namespace
}  // namespace heddle::app
