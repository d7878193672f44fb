// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/launch_log.h"

#include <utility>

namespace heddle {

std::string stepPhaseName(StepPhase phase) {
    switch (phase) {
    case StepPhase::Input: return "input";
    case StepPhase::Forward: return "forward";
    case StepPhase::Backward: return "backward";
    case StepPhase::Clip: return "clip";
    case StepPhase::Update: return "update";
    case StepPhase::Record: return "record";
    }
    return {};
}

std::int64_t launchesOf(const std::vector<LaunchCount>& counts, StepPhase phase) {
    std::int64_t sum = 0;
    for (const LaunchCount& one : counts)
        if (one.phase == phase) sum += one.launches;
    return sum;
}

void LaunchLog::open() {
    isOpen_ = true;
    onLaunchedAsOne([](const char* name) { launchLog().add({name, currentStepPhase()}); });
}

void LaunchLog::add(const Entry& entry) {
    if (!isOpen_ || isLaunchedAsOne()) return;
    const std::lock_guard lock(mutex_);
    counts_[{entry.phase, entry.name, entry.isOwn}] += entry.launches;
}

std::vector<LaunchCount> LaunchLog::take() {
    const std::lock_guard lock(mutex_);
    std::vector<LaunchCount> all;
    for (const auto& [key, launches] : std::exchange(counts_, {}))
        all.push_back({std::get<1>(key), std::get<0>(key), std::get<2>(key), launches});
    return all;
}

LaunchLog& launchLog() {
    static LaunchLog log;
    return log;
}

}  // namespace heddle
