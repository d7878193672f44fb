// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace heddle {

/// In what arithmetic matrix products run; parameters, optimizer state and losses are fp32 always.
enum class Precision { Float32, BFloat16 };

/// "fp32" or "bf16"; throws Error(InvalidInput) otherwise.
Precision precisionFromName(const std::string& name);

/// Autocast to bf16 for the lifetime of the object on this thread; nothing for Float32. The cache of cast weights stays off: it
/// gives wrong results in captured graphs, and every weight is used once in a forward pass anyway.
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
