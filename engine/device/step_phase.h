// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace heddle {

/// The part of a training step that launches work on the device. Tests count launches by it (tests/dev/engine/launch_log.h).
enum class StepPhase : std::uint8_t {
    Input,     ///< copies from the host
    Forward,   ///< the model and the loss with the gradient of the logits
    Backward,  ///< what autograd runs
    Clip,      ///< norms of the gradients
    Update,    ///< the optimizer, and bfloat16 copies of the parameters
    Record     ///< the step's values, into the ring that the host reads
};

/// Sets the phase of the training step that this thread runs, for the lifetime of the object.
class StepPhaseScope {
public:
    explicit StepPhaseScope(StepPhase phase);
    ~StepPhaseScope();
    StepPhaseScope(const StepPhaseScope&) = delete;
    StepPhaseScope& operator=(const StepPhaseScope&) = delete;

private:
    StepPhase before_;
};

/// Backward during a backward pass, else the phase of the innermost open scope of this thread; Forward outside of any.
StepPhase currentStepPhase();

/// During its lifetime the operators of this thread count as the one ATen operator `name`, which is one launch.
class LaunchedAsOne {
public:
    explicit LaunchedAsOne(const char* name);
    ~LaunchedAsOne();
    LaunchedAsOne(const LaunchedAsOne&) = delete;
    LaunchedAsOne& operator=(const LaunchedAsOne&) = delete;
};

/// Whether a LaunchedAsOne of this thread is open.
bool isLaunchedAsOne();

/// Calls `note` with the name of each LaunchedAsOne that begins from now on, on its thread.
void onLaunchedAsOne(void (*note)(const char* name));

}  // namespace heddle
