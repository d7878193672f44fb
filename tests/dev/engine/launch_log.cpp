// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/launch_log.h"

#include <map>
#include <tuple>
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

std::vector<LaunchCount> counted(const std::vector<Launch>& launches) {
    std::map<std::tuple<StepPhase, std::string, bool>, LaunchCount> counts;
    for (const Launch& one : launches) {
        LaunchCount& count =
            counts.try_emplace({one.phase, one.name, one.isOwn}, LaunchCount{one.name, one.phase, one.isOwn}).first->second;
        count.launches += one.launches;
        count.bytes += one.cost.bytes;
        count.seconds += one.cost.seconds;
    }
    std::vector<LaunchCount> all;
    for (auto& [key, count] : counts) all.push_back(std::move(count));
    return all;
}

void LaunchLog::add(Launch launch) {
    if (!isOpen_ || isLaunchedAsOne()) return;
    const std::lock_guard lock(mutex_);
    launches_.push_back(std::move(launch));
}

std::vector<Launch> LaunchLog::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(launches_, {});
}

LaunchLog& launchLog() {
    static LaunchLog log;
    return log;
}

}  // namespace heddle
