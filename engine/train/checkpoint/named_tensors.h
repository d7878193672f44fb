// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace heddle {

/// Tensors by name, sorted: the contents of a checkpoint file.
using NamedTensors = std::map<std::string, at::Tensor>;

/// The parameters of a store by path (shared, not copied).
NamedTensors namedParameters(const ParameterStore& parameters);

/// Copies `source` into `target`. Throws Error(InvalidInput) before writing anything, naming `where` and the first tensor that
/// is missing, superfluous or of another shape or type.
void copyInto(const NamedTensors& target, const NamedTensors& source, const std::string& where);

/// Throws Error(Diverged) naming `where` and the first tensor that contains NaN or infinity.
void requireFinite(const NamedTensors& tensors, const std::string& where);

}  // namespace heddle
