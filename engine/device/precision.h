// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/precision.h"

#include <c10/core/Device.h>

namespace heddle {

/// What a chosen precision means on a device; never Auto. Throws Error(InvalidInput) for TensorFloat32 on the CPU.
Precision precisionFor(Precision chosen, const at::Device& device);
/// The same for inference: the CPU runs a model trained in TensorFloat32 in Float32.
Precision readingPrecisionFor(Precision chosen, const at::Device& device);

/// Where and how a model computes.
struct ComputePlace {
    at::Device device;
    Precision precision;
};

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
