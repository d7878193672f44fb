// SPDX-License-Identifier: Apache-2.0
#include "engine/device/step_phase.h"

#include "engine/device/torch_pch.h"

#include <torch/csrc/autograd/function.h>

#include <atomic>
#include <utility>

namespace heddle {
namespace {

thread_local StepPhase openPhase = StepPhase::Forward;
thread_local int openAsOne = 0;
std::atomic<void (*)(const char* name)> noteAsOne = nullptr;

}  // namespace

StepPhaseScope::StepPhaseScope(StepPhase phase) : before_(std::exchange(openPhase, phase)) {}
StepPhaseScope::~StepPhaseScope() { openPhase = before_; }

StepPhase currentStepPhase() { return torch::autograd::get_current_node() ? StepPhase::Backward : openPhase; }

LaunchedAsOne::LaunchedAsOne(const char* name) {
    if (const auto note = noteAsOne.load(); note && openAsOne == 0) note(name);
    ++openAsOne;
}
LaunchedAsOne::~LaunchedAsOne() { --openAsOne; }

bool isLaunchedAsOne() { return openAsOne > 0; }

void onLaunchedAsOne(void (*note)(const char* name)) { noteAsOne = note; }

}  // namespace heddle
