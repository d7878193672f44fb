// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::verify {

/// A preset with small sizes (d 16, 4 layers, max_len 12, 13 words); `over` is merged into its document (RFC 7386).
ResolvedVariant tinyPreset(const std::string& name, const Json& over = Json::object());

/// The same as a model in float64.
std::unique_ptr<Model> tinyModel(const std::string& name, const Json& over = Json::object());

/// Presets that decode and whose self-attention in the decoder is causal.
std::vector<std::string> causalPresets();

/// One sentence of word ids as [1,S].
at::Tensor sentence(const std::vector<std::int64_t>& words);

/// The encoder's output for `source`, to which a decoder attends; empty without an encoder.
Memory memoryOf(const Model& model, const at::Tensor& source, const Forward& f = {});

/// The model's output at every position [1,S,…]: a decoder's logits for `target`, else the encoder's stream for `source`.
at::Tensor outputsOf(const Model& model, const at::Tensor& source, const at::Tensor& target);

/// The head's output for a fixed toy batch of words (below 13, some padding) or patches, on the model's device; differentiable.
at::Tensor toyAnswer(const Model& model, const Forward& f = {});

/// The largest absolute difference.
double distance(const at::Tensor& a, const at::Tensor& b);

}  // namespace heddle::verify
