// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace heddle {

/// In what arithmetic matrix products run; parameters, optimizer state and losses are fp32 always. TensorFloat32: the products
/// of float32 tensors read 10 bits of each mantissa, on CUDA alone.
enum class Precision { Float32, BFloat16, TensorFloat32 };

/// What "auto", "fp32", "tf32" or "bf16" means on a device: auto is bf16 on CUDA and fp32 on the CPU. Throws
/// Error(InvalidInput) for other names, and for tf32 on the CPU.
Precision precisionFor(const std::string& name, const at::Device& device);
/// The same for a model that is read, not trained: a CPU reads in fp32 what was trained in tf32.
Precision readingPrecisionFor(const std::string& name, const at::Device& device);

std::string precisionName(Precision precision);  ///< "fp32", "tf32" or "bf16"

/// Lets float32 products on CUDA read fewer bits, or no longer, as this precision wants it. A switch of the whole process, like
/// those of configureComputeThread(): of runs that go on at once on several GPUs the last one to begin sets it. For the CPU
/// nothing is done, so that a run there changes none beside it.
void allowTensorFloat32(const at::Device& device, Precision precision);

/// Autocast to bf16 for the lifetime of the object on this thread; nothing for other precisions. The cache of cast weights
/// stays off: it gives wrong results in captured graphs, and every weight is used once in a forward pass anyway.
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
