// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

namespace heddle {

/// Measures the time of work on a device.
class StepClock {
public:
    explicit StepClock(const at::Device& device) : device_(device) {}
    /// Seconds on a steady clock.
    static double now();
    /// Whether calls return before their work is done.
    bool isAsynchronous() const { return device_.is_cuda(); }
    /// Seconds on that clock, after waiting for all work on the device.
    double nowSynchronized() const;

private:
    at::Device device_;
};

}  // namespace heddle
