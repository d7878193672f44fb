// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace heddle::app {

/// What one attempt says, on its way to the recorder. Remembers what the session needs to bring the attempt to a proper end:
/// the last state, and whether a failure and the memory have been told. Engine thread only.
class AttemptSink final : public EventSink {
public:
    AttemptSink(EventSink& recorder, std::string run, std::int64_t attempt, std::int64_t firstStep)
        : recorder_(recorder), run_(std::move(run)), attempt_(attempt), step_(firstStep) {}

    Pressure emit(Event event) override {
        step_ = std::max(step_, event.step);  // the test split is reported at the best step
        if (const auto* change = std::get_if<StateChanged>(&event.body)) state_ = change->state;
        if (const auto* note = std::get_if<Note>(&event.body)) memoryTold_ = memoryTold_ || note->kind == "memory";
        failureTold_ = failureTold_ || std::holds_alternative<Failure>(event.body);
        return recorder_.emit(std::move(event));
    }
    Pressure pressure() const override { return recorder_.pressure(); }

    /// Says something in the name of the attempt, at its last step.
    void say(EventBody body) {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
        emit({run_, attempt_, step_, seconds.count(), std::move(body)});
    }

    RunState state() const { return state_; }
    bool failureTold() const { return failureTold_; }
    bool memoryTold() const { return memoryTold_; }

private:
    EventSink& recorder_;
    const std::string run_;
    const std::int64_t attempt_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::int64_t step_;
    RunState state_ = RunState::Preparing;
    bool failureTold_ = false, memoryTold_ = false;
};

}  // namespace heddle::app
