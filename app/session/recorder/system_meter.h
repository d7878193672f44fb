// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/recorder/gpu_meter.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::app {

/// Values of series of `kSystemSeries`, each with its name; those that the machine does not tell are absent.
using SystemReading = std::vector<std::pair<std::string_view, double>>;

/// What this process uses of the machine. Not thread-safe.
class SystemMeter {
public:
    explicit SystemMeter(DriverLibraries libraries = {}) : libraries_(std::move(libraries)), last_(now()) {}

    /// From now on the GPU is read, too, where `device` is one.
    void useDevice(const std::string& device) { gpu_ = GpuMeter::open(device, libraries_); }
    /// CPU use is the mean since the call before, or since this object was made.
    SystemReading read();

private:
    struct CpuTime {
        std::chrono::steady_clock::time_point at;
        double seconds = 0;  ///< of all threads of the process
    };
    static CpuTime now();

    DriverLibraries libraries_;
    std::unique_ptr<GpuMeter> gpu_;
    CpuTime last_;
};

}  // namespace heddle::app
