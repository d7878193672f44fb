// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/events.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace heddle {

/// Emits events into the sink with run, attempt, current step and time since the attempt began.
class Emitter {
public:
    Emitter(EventSink& sink, std::string run, std::int64_t attempt) : sink_(sink), run_(std::move(run)), attempt_(attempt) {}

    void setStep(std::int64_t step) { step_ = step; }
    void emit(EventBody body) { sink_.emit({run_, attempt_, step_, seconds(), std::move(body)}); }
    void emitAt(std::int64_t step, EventBody body) { sink_.emit({run_, attempt_, step, seconds(), std::move(body)}); }
    EventSink::Pressure pressure() const { return sink_.pressure(); }
    /// Blocks the engine thread until less than half of the recorder's queue is used, at most for `patience`. Returns whether
    /// there is room.
    bool awaitRoom(std::chrono::milliseconds patience) const {
        constexpr std::chrono::milliseconds kInterval{5};
        const auto end = std::chrono::steady_clock::now() + patience;
        while (pressure() != EventSink::Pressure::None) {
            if (std::chrono::steady_clock::now() >= end) return false;
            std::this_thread::sleep_for(kInterval);
        }
        return true;
    }
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

private:
    EventSink& sink_;
    std::string run_;
    std::int64_t attempt_, step_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace heddle
