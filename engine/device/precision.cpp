// SPDX-License-Identifier: Apache-2.0
#include "engine/device/precision.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"

#include <ATen/autocast_mode.h>

namespace heddle {

Precision precisionFromName(const std::string& name) {
    if (name == "fp32") return Precision::Float32;
    if (name == "bf16") return Precision::BFloat16;
    throwInvalid("unknown precision \"" + name + "\"", "train.precision", "use fp32 or bf16");
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
