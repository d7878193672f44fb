// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/step_phase.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace heddle {

inline constexpr std::array<StepPhase, 6> kStepPhases{StepPhase::Input, StepPhase::Forward, StepPhase::Backward,
                                                      StepPhase::Clip,  StepPhase::Update,  StepPhase::Record};
/// Returns the name of a phase: "input", "forward" and so on.
std::string stepPhaseName(StepPhase phase);

/// What a launch moves, and how long it takes by a model (launch_cost.h).
struct LaunchCost {
    double bytes = 0;    ///< all operands and results once; along a broadcast axis one value
    double seconds = 0;  ///< with its nodes in a graph
    std::string sizes;   ///< for people, such as "b8192x512 b512x512 -> b8192x512"; b: bfloat16
};

/// How often a step launches a kernel of Heddle's or calls an operator of ATen.
struct LaunchCount {
    std::string name;  ///< of a kernel (engine/device/cuda_table.h), or of an operator without its namespace ("mm")
    StepPhase phase = StepPhase::Forward;
    bool isOwn = false;  ///< a kernel of Heddle's
    std::int64_t launches = 0;
    double bytes = 0, seconds = 0;  ///< of all of them; 0 for what a LaunchedAsOne stands for
};

/// One call, which launches one kernel or more.
struct Launch {
    std::string name;
    StepPhase phase = StepPhase::Forward;
    bool isOwn = false;         ///< a kernel of Heddle's
    std::int64_t launches = 1;  ///< of this call
    LaunchCost cost = {};
};

/// Returns the number of launches in a phase.
std::int64_t launchesOf(const std::vector<LaunchCount>& counts, StepPhase phase);

/// Counts equal names of a phase together, in the order of phases and names.
std::vector<LaunchCount> counted(const std::vector<Launch>& launches);

/// The launches that the fake CUDA device (fake_cuda.h) was asked for. Thread-safe.
class LaunchLog {
public:
    /// Starts the log; calls added before are ignored.
    void open();
    /// Adds a call, but not while a LaunchedAsOne of this thread is open, which is a call itself.
    void add(Launch launch);
    /// Returns the calls added since the last time, in their order.
    std::vector<Launch> take();

private:
    std::atomic<bool> isOpen_ = false;
    std::mutex mutex_;
    std::vector<Launch> launches_;  // guarded by mutex_
};
/// The log of the process.
LaunchLog& launchLog();

}  // namespace heddle
