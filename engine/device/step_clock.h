// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

namespace heddle {

/// Times work on a device.
class StepClock {
public:
    explicit StepClock(const at::Device& device) : device_(device) {}
    /// Seconds on a steady clock.
    static double now();
    /// The same once the device has done everything that it was told to do.
    double finished() const;

private:
    at::Device device_;
};

}  // namespace heddle
