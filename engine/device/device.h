// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace heddle {

/// The device for a spec's "auto | cpu | cuda | cuda:i"; auto prefers CUDA. Throws Error(InvalidInput) for an unknown name and
/// for a missing CUDA device.
at::Device chooseDevice(const std::string& name);

/// Records that a CUDA error made the device unusable for this process. chooseDevice() then refuses CUDA devices and "auto"
/// with this reason, instead of training on the CPU. An empty reason clears the record.
void setDeviceLost(const std::string& reason);
/// Whether some CUDA device that chooseDevice() has returned has become unusable for this process. Others are not asked: that
/// would make a context on them.
bool isADeviceLost();

/// All devices a run can name, the CPU first.
std::vector<DeviceInfo> listDevices();

/// The entry of listDevices() for one device.
DeviceInfo deviceInfo(const at::Device& device);

/// How many logits of a large vocabulary are computed at once: few on a CPU, so that they fit its caches; on a GPU 2³⁰ or a
/// 64th of its memory's bytes. It depends on the device only, not on free memory, so that a resumed run sums in the same
/// chunks.
std::int64_t logitsAtOnce(const at::Device& device);

/// Settings of the computing thread; set once, recorded with the attempt.
struct ComputeSettings {
    int threads = 0;  ///< 0: physical cores
    bool deterministic = true;
};

/// Prepares the calling thread (the engine thread): intra-op threads, one inter-op thread, denormals flushed to zero,
/// deterministic algorithms. Returns the settings in force. Must come before the thread's first tensor operation, so that the
/// worker threads inherit the floating-point mode.
ComputeSettings configureComputeThread(const ComputeSettings& wanted);

}  // namespace heddle
