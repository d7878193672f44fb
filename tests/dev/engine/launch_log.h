// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/step_phase.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace heddle {

inline constexpr std::array<StepPhase, 6> kStepPhases{StepPhase::Input, StepPhase::Forward, StepPhase::Backward,
                                                      StepPhase::Clip,  StepPhase::Update,  StepPhase::Record};
/// Returns the name of a phase: "input", "forward" and so on.
std::string stepPhaseName(StepPhase phase);

/// How often a step launches a kernel of Heddle's or calls an operator of ATen.
struct LaunchCount {
    std::string name;  ///< of a kernel (engine/device/cuda_table.h), or of an operator without its namespace ("mm")
    StepPhase phase = StepPhase::Forward;
    bool isOwn = false;  ///< a kernel of Heddle's
    std::int64_t launches = 0;
};

/// Returns the number of launches in a phase.
std::int64_t launchesOf(const std::vector<LaunchCount>& counts, StepPhase phase);

/// The launches that the fake CUDA device (fake_cuda.h) was asked for. Thread-safe.
class LaunchLog {
public:
    struct Entry {
        std::string name;
        StepPhase phase;
        bool isOwn = false;         ///< a kernel of Heddle's
        std::int64_t launches = 1;  ///< of this call
    };
    /// Starts the log; entries added before this call are ignored.
    void open();
    /// Adds an entry, but not while a LaunchedAsOne of this thread is open, which is an entry itself.
    void add(const Entry& entry);
    /// Returns the entries added since the last call, in the order of phases and names.
    std::vector<LaunchCount> take();

private:
    std::atomic<bool> isOpen_ = false;
    std::mutex mutex_;
    std::map<std::tuple<StepPhase, std::string, bool>, std::int64_t> counts_;  // guarded by mutex_
};
/// The log of the process.
LaunchLog& launchLog();

}  // namespace heddle
