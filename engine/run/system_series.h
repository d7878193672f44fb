// SPDX-License-Identifier: Apache-2.0
// What a run uses of its machine, as series (resources/help/schema.md).
#pragma once

#include <array>
#include <string_view>

namespace heddle {

struct SystemSeries {
    std::string_view name;   ///< of the series
    std::string_view title;  ///< for people
    std::string_view unit;
    double factor = 1;  ///< the recorded value times this has the unit
    int decimals = 0;
};

inline constexpr SystemSeries kCpuUse{"cpu_use", "CPU", "cores", 1, 2};
inline constexpr SystemSeries kResidentMemory{"resident_memory", "memory", "MiB"};
inline constexpr SystemSeries kGpuUse{"gpu_use", "GPU", "%", 100};
inline constexpr SystemSeries kGpuMemory{"gpu_memory", "GPU memory", "MiB"};
inline constexpr SystemSeries kGpuTemperature{"gpu_temperature", "GPU temperature", "°C"};
inline constexpr SystemSeries kGpuPower{"gpu_power", "GPU power", "W"};

/// All of them, in the order in which they are shown.
inline constexpr std::array kSystemSeries{kCpuUse, kResidentMemory, kGpuUse, kGpuMemory, kGpuTemperature, kGpuPower};

}  // namespace heddle
