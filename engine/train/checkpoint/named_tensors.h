// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Tensors by name, sorted: the contents of a checkpoint file.
using NamedTensors = std::map<std::string, at::Tensor>;

/// The parameters of a store by path (shared, not copied).
NamedTensors namedParameters(const ParameterStore& parameters);

/// The frozen tables that data.vectors fills: word vectors belong to the data, and no checkpoint holds them.
std::vector<ParameterStore::Entry> tablesFromFile(const Model& model);

/// What a checkpoint holds of a model: its parameters, and the tables that were drawn once and are not trained.
NamedTensors savedTensors(const Model& model);

/// Copies the weights of a checkpoint into a model. A drawn table that the weights lack, those of an earlier version, stays as
/// the seed drew it. Throws as copyInto().
void loadWeights(const Model& model, const NamedTensors& weights, const std::string& where);

/// Throws Error(InvalidInput) naming `where` and the first tensor of `source` that is missing, superfluous or of another shape
/// or type than in `target`.
void requireSameForm(const NamedTensors& target, const NamedTensors& source, const std::string& where);

/// Copies `source` into `target`. Throws as requireSameForm(), before writing anything.
void copyInto(const NamedTensors& target, const NamedTensors& source, const std::string& where);

/// Throws Error(Diverged) naming `where` and the first tensor that contains NaN or infinity.
void requireFinite(const NamedTensors& tensors, const std::string& where);

}  // namespace heddle
