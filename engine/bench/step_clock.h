// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <optional>

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

/// Seconds since this process was started; nothing where the system does not tell.
std::optional<double> processAge();

}  // namespace heddle
