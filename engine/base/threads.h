// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// Physical cores in this process's affinity mask, at least 1. Hardware threads of one core count once: matrix products gain
/// nothing from the second. `cpuFolder` is the kernel's topology folder; tests pass their own.
int physicalCores(const std::string& cpuFolder = "/sys/devices/system/cpu");

}  // namespace heddle
