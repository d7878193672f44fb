// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/recorder/system_steps.h"
#include "engine/run/events.h"
#include "storage/records.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace heddle::app {

/// Records what an attempt uses of its machine, on a thread of its own, until finish(). Follows the attempt by its events.
/// Thread-safe.
class SystemSampler {
public:
    using Emit = std::function<void(Event)>;
    /// Emits for `attempt`, on the sampler's thread and in finish(). `every` zero: records nothing and has no thread.
    SystemSampler(const storage::AttemptRecord& attempt, std::chrono::duration<double> every, Emit emit,
                  DriverLibraries libraries = {});
    ~SystemSampler();
    SystemSampler(const SystemSampler&) = delete;
    SystemSampler& operator=(const SystemSampler&) = delete;

    /// An event of the attempt, before it is recorded: its step and time, its device, whether it is paused.
    void follow(const Event& event);
    /// Emits the last values. Nothing is emitted afterwards.
    void finish();

private:
    void run();
    void emit(StepBlock block);

    const std::chrono::duration<double> every_;
    const Emit emit_;
    Event last_;  ///< the attempt's run and number, and step and time of its last event
    std::string device_;
    bool isPaused_ = false, isFinished_ = false;
    SystemSteps steps_;
    SystemMeter meter_;  ///< the thread's own until it has ended
    std::mutex mutex_;   ///< guards all but meter_
    std::condition_variable changed_;
    std::thread thread_;
};

}  // namespace heddle::app
