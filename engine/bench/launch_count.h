// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/launch_counts.h"

namespace heddle {

/// Counts what one training step of the workload launches on a GPU, on a fake one (engine/device/fake_cuda.h), once with
/// Heddle's kernels and once without. Throws Error(Failure) where there can be no fake one, and where the step waits for the
/// device.
LaunchCounts runLaunchCount(const LaunchCountRequest& request);

}  // namespace heddle
