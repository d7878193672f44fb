// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/system_meter.h"

#include "engine/run/system_series.h"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <optional>

namespace heddle::app {
namespace {

/// MiB; absent where the system does not tell (proc(5), /proc/self/statm: pages, all and resident).
std::optional<double> residentMib() {
    std::ifstream file("/proc/self/statm");
    double all = 0, resident = 0;
    if (!(file >> all >> resident)) return {};
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

}  // namespace

SystemMeter::CpuTime SystemMeter::now() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return {std::chrono::steady_clock::now(), static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec)};
}

SystemReading SystemMeter::read() {
    SystemReading reading;
    const CpuTime before = std::exchange(last_, now());
    if (const std::chrono::duration<double> passed = last_.at - before.at; passed.count() > 0)
        reading.emplace_back(kCpuUse.name, (last_.seconds - before.seconds) / passed.count());
    if (const auto resident = residentMib()) reading.emplace_back(kResidentMemory.name, *resident);
    if (!gpu_) return reading;
    const GpuReading gpu = gpu_->read();
    if (gpu.use) reading.emplace_back(kGpuUse.name, *gpu.use);
    if (gpu.memoryMib) reading.emplace_back(kGpuMemory.name, *gpu.memoryMib);
    if (gpu.temperature) reading.emplace_back(kGpuTemperature.name, *gpu.temperature);
    if (gpu.watts) reading.emplace_back(kGpuPower.name, *gpu.watts);
    return reading;
}

}  // namespace heddle::app
