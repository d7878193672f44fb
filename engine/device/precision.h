// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace heddle {

/// The arithmetic of matrix products; parameters, optimizer state and losses are always fp32. TensorFloat32: products of
/// float32 tensors use 10 mantissa bits, on CUDA only.
enum class Precision { Float32, BFloat16, TensorFloat32 };

/// What "auto", "fp32", "tf32" or "bf16" means on a device: auto is bf16 on CUDA and fp32 on the CPU. Throws
/// Error(InvalidInput) for other names, and for tf32 on the CPU.
Precision precisionFor(const std::string& name, const at::Device& device);
/// The same for inference: the CPU runs a model trained in tf32 in fp32.
Precision readingPrecisionFor(const std::string& name, const at::Device& device);

/// Where and how a model computes.
struct ComputePlace {
    at::Device device;
    Precision precision;
};

std::string precisionName(Precision precision);  ///< "fp32", "tf32" or "bf16"

/// Switches TF32 for float32 products on CUDA on or off. The switch is process-wide, like those of configureComputeThread():
/// among concurrent runs on several GPUs the last one to start decides. Does nothing for the CPU, so that a run there does not
/// affect others.
void allowTensorFloat32(const at::Device& device, Precision precision);

/// Enables autocast to bf16 on this thread for the lifetime of the object; does nothing for other precisions. The weight cache
/// of autocast is off: it is wrong in captured graphs, and a forward pass uses every weight once.
class AutocastScope {
public:
    AutocastScope(const at::Device& device, Precision precision);
    ~AutocastScope();
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    c10::DeviceType type_;
    bool active_, enabledBefore_ = false, cacheBefore_ = false;
};

}  // namespace heddle
