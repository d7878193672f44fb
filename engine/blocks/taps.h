// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace heddle {

/// Observes or replaces exposures. Modules write `g = taps.pass(path_, "gate", g)`: identity at the cost of a branch, unless
/// the plan fixed before the step includes the exposure. Observing never changes the result.
class Taps {
public:
    virtual ~Taps() = default;
    /// `module` is the block's path, `exposure` the id in its descriptor.
    virtual at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) = 0;
    /// True if the value of this exposure is wanted. A fused path that does not produce it must compute it for the taps.
    virtual bool wants(const std::string& module, const char* exposure) const = 0;
    /// True if pass() replaces this exposure, so that the reference path must be used instead of a fused one.
    virtual bool replaces(const std::string& /*module*/, const char* /*exposure*/) const { return false; }
};

}  // namespace heddle
