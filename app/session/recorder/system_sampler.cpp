// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/system_sampler.h"

#include <algorithm>
#include <utility>

namespace heddle::app {

SystemSampler::SystemSampler(const storage::AttemptRecord& attempt, std::chrono::duration<double> every, Emit emit,
                             DriverLibraries libraries)
    : every_(every),
      emit_(std::move(emit)),
      last_{attempt.run, attempt.attempt, attempt.firstStep, 0, StepBlock{}},
      isFinished_(every.count() <= 0),
      steps_(attempt.firstStep),
      meter_(std::move(libraries)) {
    if (!isFinished_) thread_ = std::thread([this] { run(); });
}

SystemSampler::~SystemSampler() { finish(); }

void SystemSampler::follow(const Event& event) {
    const std::lock_guard lock(mutex_);
    last_.step = std::max(last_.step, event.step);  // the test split is reported for the best step
    last_.seconds = std::max(last_.seconds, event.seconds);
    if (const auto* change = std::get_if<StateChanged>(&event.body)) isPaused_ = change->state == RunState::Paused;
    const auto* described = std::get_if<AttemptDescribed>(&event.body);
    if (!described) return;
    device_ = described->device;
    changed_.notify_all();
}

void SystemSampler::run() {
    using Clock = std::chrono::steady_clock;
    const auto every = std::chrono::duration_cast<Clock::duration>(every_);
    std::string device;  // that is read
    std::unique_lock lock(mutex_);
    for (auto due = Clock::now() + every;;) {
        changed_.wait_until(lock, due, [&] { return isFinished_ || device_ != device; });
        if (isFinished_) return;
        const bool isNew = std::exchange(device, device_) != device_, isPaused = isPaused_;
        SystemReading reading;
        lock.unlock();  // the driver may take its time, and the engine must not wait for it
        if (isNew)
            meter_.useDevice(device);
        else
            reading = meter_.read();
        lock.lock();
        if (isNew) continue;
        due = Clock::now() + every;
        if (!isPaused && !isFinished_) emit(steps_.add(last_.step, reading));
    }
}

void SystemSampler::finish() {
    {
        const std::lock_guard lock(mutex_);
        isFinished_ = true;
    }
    changed_.notify_all();
    if (!thread_.joinable()) return;
    thread_.join();
    const std::lock_guard lock(mutex_);
    emit(steps_.finish(last_.step, meter_.read()));
}

void SystemSampler::emit(StepBlock block) {
    if (block.series.empty()) return;
    Event event = last_;
    event.body = std::move(block);
    emit_(std::move(event));
}

}  // namespace heddle::app
