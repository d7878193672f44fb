// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace heddle {

/// A captured graph of device work: the same kernels on the same addresses, replayed by one call.
class DeviceGraph {
public:
    virtual ~DeviceGraph() = default;
    /// Calls `work` once and captures its kernel launches without running them. Rethrows the errors of `work`, and throws
    /// c10::Error for work that cannot be captured, such as a synchronisation; nothing is captured then.
    virtual void capture(const std::function<void()>& work) = 0;
    virtual void replay() = 0;
};
using MakeDeviceGraph = std::function<std::unique_ptr<DeviceGraph>()>;

/// Makes CUDA graphs that share their memory: a graph's results are valid until the next replay. Empty for a device that cannot
/// capture. From here on the calling thread works on a stream of its own, as CUDA requires for capture.
MakeDeviceGraph deviceGraphsOf(const at::Device& device);

}  // namespace heddle
