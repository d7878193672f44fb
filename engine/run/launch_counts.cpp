// SPDX-License-Identifier: Apache-2.0
#include "engine/run/launch_counts.h"

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

}  // namespace heddle
