// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace heddle::app {

/// Estimated memory of an event, counted by the bound of the queue.
std::size_t estimateBytes(const Event& event);

/// State, evaluation, checkpoint, intervention, failure and answer: committed at once and durably.
bool isUrgent(const Event& event);

/// Dense telemetry that may be dropped when the queue is full. Everything else is always queued.
bool isDroppable(const Event& event);

/// Steps of a run whose telemetry was dropped.
struct Gap {
    std::int64_t firstStep = 0, lastStep = 0, events = 0;
};

/// The bounded queue between engine threads (producers, never blocked) and the recorder thread (the one consumer). Bytes count
/// until release(), so that taken but uncommitted events still cause back-pressure.
class EventQueue {
public:
    using Clock = std::chrono::steady_clock;

    explicit EventQueue(std::size_t capacityBytes) : capacity_(capacityBytes) {}

    /// Any thread. Never blocks for longer than the lock; drops droppable events beyond the capacity and remembers the gap, but
    /// takes an event of any size while less than half of the capacity is used.
    EventSink::Pressure push(Event event);
    /// Any thread, no lock: 50 % → ThinScalars, 80 % or a write error → Pause, a missing database file → NoDatabase.
    EventSink::Pressure pressure() const;
    /// While the consumer cannot write, pressure() asks producers to pause.
    void setWriteError(bool failing) { writeError_ = failing; }
    void setDatabaseLost(bool lost) { databaseLost_ = lost; }

    struct Taken {
        std::vector<Event> events;
        std::size_t bytes = 0;
        std::uint64_t count = 0;                                   ///< of events pushed, dropped ones included
        std::map<std::pair<std::string, std::int64_t>, Gap> gaps;  ///< by (run, attempt)
    };
    /// Events pushed since the beginning, dropped ones included.
    std::uint64_t pushed() const { return pushed_; }
    /// Consumer: everything queued so far, in order.
    Taken take();
    /// Consumer: `bytes` have been committed.
    void release(std::size_t bytes) { bytes_ -= bytes; }
    /// Consumer: sleeps until an urgent event, wake() or until half of the capacity is used, at most until `deadline`.
    void waitUntil(Clock::time_point deadline);
    /// Wakes the consumer.
    void wake();

private:
    const std::size_t capacity_;
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<bool> writeError_ = false, databaseLost_ = false;
    std::atomic<std::uint64_t> pushed_ = 0;
    std::mutex mutex_;
    std::condition_variable arrived_;
    bool awake_ = false;
    Taken waiting_;
};

}  // namespace heddle::app
