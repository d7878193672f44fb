// SPDX-License-Identifier: Apache-2.0
#include "engine/device/launch_log.h"

#include "engine/device/torch_pch.h"

#include <torch/csrc/autograd/function.h>

#include <utility>

namespace heddle {
namespace {

thread_local StepPhase openPhase = StepPhase::Forward;
thread_local int openAsOne = 0;

}  // namespace

StepPhaseScope::StepPhaseScope(StepPhase phase) : before_(std::exchange(openPhase, phase)) {}
StepPhaseScope::~StepPhaseScope() { openPhase = before_; }

StepPhase currentStepPhase() { return torch::autograd::get_current_node() ? StepPhase::Backward : openPhase; }

void LaunchLog::add(const Entry& entry) {
    if (!isOpen_ || openAsOne > 0) return;
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

LaunchedAsOne::LaunchedAsOne(const char* name) {
    launchLog().add({name, currentStepPhase()});
    ++openAsOne;
}
LaunchedAsOne::~LaunchedAsOne() { --openAsOne; }

}  // namespace heddle
