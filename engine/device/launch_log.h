// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/launch_counts.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace heddle {

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

/// The launches that the fake CUDA device (engine/device/fake_cuda.h) was asked for. Thread-safe.
class LaunchLog {
public:
    struct Entry {
        std::string name;
        StepPhase phase;
        bool isOwn = false;         ///< a kernel of Heddle's
        std::int64_t launches = 1;  ///< of this call
    };
    /// Starts the log; entries added before this call are ignored.
    void open() { isOpen_ = true; }
    /// Ignored while a LaunchedAsOne of this thread is open.
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

/// Counts all launches of this thread during its lifetime as one launch of `name`, for operators that stand for one ATen
/// kernel.
class LaunchedAsOne {
public:
    explicit LaunchedAsOne(const char* name);
    ~LaunchedAsOne();
    LaunchedAsOne(const LaunchedAsOne&) = delete;
    LaunchedAsOne& operator=(const LaunchedAsOne&) = delete;
};

}  // namespace heddle
