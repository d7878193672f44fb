// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/workload.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// The part of a training step that launches work on the device.
enum class StepPhase : std::uint8_t {
    Input,     ///< copies from the host
    Forward,   ///< the model and the loss with the gradient of the logits
    Backward,  ///< what autograd runs
    Clip,      ///< norms of the gradients
    Update,    ///< the optimizer, and bfloat16 copies of the parameters
    Record     ///< the step's values, into the ring that the host reads
};
inline constexpr std::array<StepPhase, 6> kStepPhases{StepPhase::Input, StepPhase::Forward, StepPhase::Backward,
                                                      StepPhase::Clip,  StepPhase::Update,  StepPhase::Record};
/// "input", "forward" and so on.
std::string stepPhaseName(StepPhase phase);

/// How often a step launches a kernel of Heddle's or calls an operator of ATen.
struct LaunchCount {
    std::string name;  ///< of a kernel (engine/device/cuda_table.h), or of an operator without its namespace ("mm")
    StepPhase phase = StepPhase::Forward;
    bool isOwn = false;  ///< a kernel of Heddle's
    std::int64_t launches = 0;
};

/// The step to count: one on the workload's first batch, rounded up as in a run on a GPU.
struct LaunchCountRequest {
    Workload workload;
    std::string precision = "auto";  ///< "auto" (bf16), "fp32", "tf32" or "bf16"
    std::uint64_t seed = 1;          ///< of weights and batches
};

/// What one training step of a workload launches on a GPU, counted without one: calls of ATen operators that have a kernel on
/// the device, each as one launch, and launches of Heddle's kernels. A profiler may count more, where an operator launches
/// several kernels. Views and allocations launch nothing. The lists are in the order of phases and names.
struct LaunchCounts {
    std::string workload, precision;
    std::int64_t parameters = 0;
    std::vector<LaunchCount> withKernels;     ///< with Heddle's kernels
    std::vector<LaunchCount> withoutKernels;  ///< by operators of ATen alone
};

/// The sum over a phase, in launches.
std::int64_t launchesOf(const std::vector<LaunchCount>& counts, StepPhase phase);

}  // namespace heddle
