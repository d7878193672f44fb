// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace heddle {

/// A captured graph of a device's work: the same kernels on the same addresses, replayed at the cost of one call.
class DeviceGraph {
public:
    virtual ~DeviceGraph() = default;
    /// Calls `work` once and captures what it launches; the device does nothing yet. Throws what `work` throws, and c10::Error
    /// for work that cannot be captured (it waits for the device); then nothing is captured.
    virtual void capture(const std::function<void()>& work) = 0;
    virtual void replay() = 0;
};
using MakeDeviceGraph = std::function<std::unique_ptr<DeviceGraph>()>;

/// Makes CUDA graphs that share their memory: what one leaves in it holds until the next is replayed. Empty for a device that
/// cannot capture. All work of the calling thread goes to a stream of its own from here on, as CUDA demands.
MakeDeviceGraph deviceGraphsOf(const at::Device& device);

}  // namespace heddle
