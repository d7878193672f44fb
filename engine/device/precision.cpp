// SPDX-License-Identifier: Apache-2.0
#include "engine/device/precision.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

namespace heddle {

Precision precisionFor(Precision chosen, const at::Device& device) {
    if (chosen == Precision::Auto) return device.is_cuda() ? Precision::BFloat16 : Precision::Float32;
    if (chosen == Precision::TensorFloat32 && !device.is_cuda())
        throwInvalid("tf32 is not available on a CPU", "train.precision",
                     "use fp32, or train on a GPU (heddle doctor says whether there is one)");
    return chosen;
}

Precision readingPrecisionFor(Precision chosen, const at::Device& device) {
    return precisionFor(chosen == Precision::TensorFloat32 && !device.is_cuda() ? Precision::Float32 : chosen, device);
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
