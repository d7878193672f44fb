// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace heddle {

/// A tensor that may be undefined, as an argument of an autograd function, for which an undefined tensor would count as an
/// operand.
inline std::optional<at::Tensor> ifThere(const at::Tensor& x) { return x.defined() ? std::optional(x) : std::nullopt; }

}  // namespace heddle
