// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's driver says of one GPU, by its management library (NVML), which comes with the driver.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace heddle::app {

/// Names of the driver's libraries. Tests name one of their own.
struct DriverLibraries {
    std::string nvml = "libnvidia-ml.so.1", cuda = "libcuda.so.1";
};

/// A state of a GPU; what the driver does not tell is absent (a partition of a GPU has no use of its own).
struct GpuReading {
    std::optional<double> use;          ///< 0 to 1: share of the driver's last sample period in which a kernel ran
    std::optional<double> memoryMib;    ///< in use, by all processes
    std::optional<double> temperature;  ///< °C
    std::optional<double> watts;
};

class GpuMeter {
public:
    /// Opens the GPU that this process calls `device` ("cuda:1"), whatever order and subset CUDA_VISIBLE_DEVICES gives: NVML
    /// counts all GPUs, so both sides are matched by the PCI address, which the CUDA driver tells. Null for another device and
    /// where there is no driver, no NVML or no such GPU. Call it when CUDA is initialized.
    static std::unique_ptr<GpuMeter> open(const std::string& device, const DriverLibraries& libraries = {});
    ~GpuMeter();
    GpuMeter(const GpuMeter&) = delete;
    GpuMeter& operator=(const GpuMeter&) = delete;

    GpuReading read() const;

private:
    struct Nvml;
    explicit GpuMeter(std::unique_ptr<Nvml> nvml);
    std::unique_ptr<Nvml> nvml_;
};

}  // namespace heddle::app
