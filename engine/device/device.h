// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace heddle {

/// The device a spec's "auto | cpu | cuda | cuda:i" means here; auto is cuda where there is one. Throws Error(InvalidInput) for
/// an unknown name and for a CUDA device that is not there.
at::Device chooseDevice(const std::string& name);

/// Remembers, where a CUDA error has left this process without its device, why; from then on chooseDevice() refuses CUDA
/// devices, and "auto", with that reason instead of training on the CPU. An empty reason forgets it.
void setDeviceLost(const std::string& reason);
/// Whether a CUDA device of this process can be used no more.
bool isADeviceLost();

/// All devices a run can name, the CPU first.
std::vector<DeviceInfo> listDevices();

/// What listDevices() says of one of them.
DeviceInfo deviceInfo(const at::Device& device);

/// How many logits are made at once where a head has many outputs: few on a CPU, whose caches they should not leave; on a GPU,
/// which wants large products, 2³⁰ or a 64th of its memory's bytes. It depends on the device alone, never on what is free, so
/// that a resumed run adds up in the same pieces.
std::int64_t logitsAtOnce(const at::Device& device);

/// What the calling thread computes with; asked once, recorded with the attempt.
struct ComputeSettings {
    int threads = 0;  ///< 0: physical cores
    bool deterministic = true;
};

/// Prepares the calling thread (the engine thread): intra-op threads, one inter-op thread, denormals flushed to zero,
/// deterministic algorithms. Returns the settings in force. Must come before the thread's first tensor operation, so that the
/// worker threads inherit the floating-point mode.
ComputeSettings configureComputeThread(const ComputeSettings& wanted);

}  // namespace heddle
