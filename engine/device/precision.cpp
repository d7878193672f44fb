// SPDX-License-Identifier: Apache-2.0
#include "engine/device/precision.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

namespace heddle {

Precision precisionFor(const std::string& name, const at::Device& device) {
    if (name == "auto") return device.is_cuda() ? Precision::BFloat16 : Precision::Float32;
    if (name == "fp32") return Precision::Float32;
    if (name == "bf16") return Precision::BFloat16;
    if (name != "tf32") throwInvalid("unknown precision \"" + name + "\"", "train.precision", "use auto, fp32, tf32 or bf16");
    if (!device.is_cuda())
        throwInvalid("tf32 is not available on a CPU", "train.precision",
                     "use fp32, or train on a GPU (heddle doctor says whether there is one)");
    return Precision::TensorFloat32;
}

Precision readingPrecisionFor(const std::string& name, const at::Device& device) {
    return precisionFor(name == "tf32" && !device.is_cuda() ? "fp32" : name, device);
}

std::string precisionName(Precision precision) {
    switch (precision) {
    case Precision::Float32: return "fp32";
    case Precision::BFloat16: return "bf16";
    case Precision::TensorFloat32: return "tf32";
    }
    return {};
}

void allowTensorFloat32(const at::Device& device, Precision precision) {
    if (device.is_cuda()) at::globalContext().setAllowTF32CuBLAS(precision == Precision::TensorFloat32);
}

AutocastScope::AutocastScope(const at::Device& device, Precision precision)
    : type_(device.type()), active_(precision == Precision::BFloat16) {
    if (!active_) return;
    enabledBefore_ = at::autocast::is_autocast_enabled(type_);
    cacheBefore_ = at::autocast::is_autocast_cache_enabled();
    at::autocast::set_autocast_dtype(type_, at::kBFloat16);
    at::autocast::set_autocast_enabled(type_, true);
    at::autocast::set_autocast_cache_enabled(false);
    at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
    if (!active_) return;
    at::autocast::set_autocast_enabled(type_, enabledBefore_);
    at::autocast::set_autocast_cache_enabled(cacheBefore_);
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace heddle
