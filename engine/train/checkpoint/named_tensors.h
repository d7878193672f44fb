// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace heddle {

/// Tensors by name, in the order of their names: what a checkpoint file holds.
using NamedTensors = std::map<std::string, at::Tensor>;

/// The parameters of a store by path (shared, not copied).
NamedTensors namedParameters(const ParameterStore& parameters);

/// Copies `source` into `target`. All or nothing: throws Error(InvalidInput) naming `where` and the first tensor that is
/// missing, superfluous, of another shape or of another type, before anything is written.
void copyInto(const NamedTensors& target, const NamedTensors& source, const std::string& where);

/// Throws Error(Diverged) naming `where` and the first tensor that holds NaN or an infinity: such a model says nothing.
void requireFinite(const NamedTensors& tensors, const std::string& where);

}  // namespace heddle
