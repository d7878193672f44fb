// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"
#include "storage/records.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

namespace heddle::app {

/// The state of an attempt as emitted by its engine thread, known even if the database cannot be written. Thread-safe.
class LiveState {
public:
    void set(const StateChanged& change) {
        const std::lock_guard lock(mutex_);
        now_ = change;
    }
    StateChanged get() const {
        const std::lock_guard lock(mutex_);
        return now_;
    }

private:
    mutable std::mutex mutex_;
    StateChanged now_{RunState::Preparing, ""};
};

/// Forwards the events of one attempt to the recorder. Remembers what the session needs to end the attempt: the last state, and
/// whether failure and memory events were emitted. Engine thread only.
class AttemptSink final : public EventSink {
public:
    AttemptSink(EventSink& recorder, const storage::AttemptRecord& attempt, LiveState& live)
        : recorder_(recorder), live_(live), run_(attempt.run), attempt_(attempt.attempt), step_(attempt.firstStep) {}

    Pressure emit(Event event) override {
        step_ = std::max(step_, event.step);  // the test split is reported for the best step
        if (const auto* change = std::get_if<StateChanged>(&event.body)) live_.set(*change);
        hasMemoryEvent_ = hasMemoryEvent_ || std::holds_alternative<MemoryMeasured>(event.body);
        hasFailureEvent_ = hasFailureEvent_ || std::holds_alternative<Failure>(event.body);
        return recorder_.emit(std::move(event));
    }
    Pressure pressure() const override { return recorder_.pressure(); }

    /// Emits an event of the attempt at its last step.
    void emitNow(EventBody body) {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
        emit({run_, attempt_, step_, seconds.count(), std::move(body)});
    }

    RunState state() const { return live_.get().state; }
    bool hasFailureEvent() const { return hasFailureEvent_; }
    bool hasMemoryEvent() const { return hasMemoryEvent_; }

private:
    EventSink& recorder_;
    LiveState& live_;
    const std::string run_;
    const std::int64_t attempt_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::int64_t step_;
    bool hasFailureEvent_ = false, hasMemoryEvent_ = false;
};

}  // namespace heddle::app
