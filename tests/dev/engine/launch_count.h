// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/workload.h"
#include "tests/dev/engine/launch_log.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// The step to count. It runs on the workload's first batch, which is filled up as in a run on a GPU.
struct LaunchCountRequest {
    Workload workload;
    Precision precision = Precision::Auto;  ///< Auto: bf16
    std::uint64_t seed = 1;                 ///< of weights and batches
};

/// What one training step of a workload launches on a GPU, counted without a GPU: calls of ATen operators that have a kernel on
/// the device, each as one launch, and launches of Heddle's kernels. A profiler may count more, where an operator launches
/// several kernels. Views and allocations launch nothing. The counts are in the order of phases and names.
struct LaunchCounts {
    std::string workload, precision;
    std::int64_t parameters = 0;
    std::vector<Launch> inOrder;              ///< with Heddle's kernels, as the step launches them
    std::vector<LaunchCount> withKernels;     ///< the same, counted
    std::vector<LaunchCount> withoutKernels;  ///< by operators of ATen alone
};

/// Counts on a fake GPU (fake_cuda.h) what one training step of the workload launches, once with Heddle's kernels and once
/// without. Throws Error(Failure) if there can be no fake GPU, because the process has looked for CUDA before, or if the step
/// waits for the device.
LaunchCounts runLaunchCount(const LaunchCountRequest& request);

}  // namespace heddle
