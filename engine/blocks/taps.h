// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace heddle {

/// Where exposures are observed or replaced. Modules write `g = taps.pass(path_, "gate", g)`: identity, at no cost but a
/// branch, unless the plan fixed before the step asks for this one. Observing never changes a bit of the result.
class Taps {
public:
    virtual ~Taps() = default;
    /// `module` is the block's path, `exposure` the id in its descriptor.
    virtual at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) = 0;
    /// True if the value of this exposure is wanted: a fused path that never makes it computes it beside, for the taps alone.
    virtual bool wants(const std::string& module, const char* exposure) const = 0;
    /// True if pass() gives back another value for this exposure, so that a fused path must give way to the reference path.
    virtual bool replaces(const std::string& /*module*/, const char* /*exposure*/) const { return false; }
};

/// The taps that want nothing.
Taps& noTaps();

}  // namespace heddle
