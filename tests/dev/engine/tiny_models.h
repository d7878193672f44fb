// SPDX-License-Identifier: Apache-2.0
// Small models of the presets in float64, for tests of properties.
#pragma once

#include "engine/verify/tiny_presets.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::verify {

/// tinyPreset() as a model in float64.
std::unique_ptr<Model> tinyModel(const std::string& name, const Json& over = Json::object());

/// Presets that decode and whose self-attention in the decoder is causal.
std::vector<std::string> causalPresets();

/// One sentence of word ids as [1,S].
at::Tensor sentence(const std::vector<std::int64_t>& words);

/// The encoder's output for `source`, to which a decoder attends; empty without an encoder.
Memory memoryOf(const Model& model, const at::Tensor& source, const Forward& f = {});

/// The model's output at every position [1,S,…]: a decoder's logits for `target`, else the encoder's stream for `source`.
at::Tensor outputsOf(const Model& model, const at::Tensor& source, const at::Tensor& target);

/// The largest absolute difference.
double distance(const at::Tensor& a, const at::Tensor& b);

}  // namespace heddle::verify
