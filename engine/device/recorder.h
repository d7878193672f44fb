// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace heddle {

/// A device's memory of what it was told to do: the same work on the same addresses, at the cost of one call.
class Recorder {
public:
    virtual ~Recorder() = default;
    /// Calls `work` once and remembers what it asks of the device, which does nothing yet. Throws what `work` throws, and
    /// c10::Error for work that cannot be recorded (it waits for the device); then nothing is remembered.
    virtual void record(const std::function<void()>& work) = 0;
    virtual void repeat() = 0;
};
using MakeRecorder = std::function<std::unique_ptr<Recorder>()>;

/// Makes recorders of CUDA graphs, which share their memory: what one leaves in it holds until the next one repeats. Empty for
/// a device that cannot record. All work of the calling thread goes to a stream of its own from here on, as CUDA demands.
MakeRecorder recordersOf(const at::Device& device);

}  // namespace heddle
