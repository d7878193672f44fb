// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"

#include <string>

namespace heddle::verify {

/// A preset with small sizes (d 16, 4 layers, max_len 12, 13 words); `over` is merged into its document (RFC 7386).
ResolvedVariant tinyPreset(const std::string& name, const Json& over = Json::object());

/// The head's output for a fixed toy batch of words (below 13, some padding) or patches, on the model's device; differentiable.
at::Tensor toyAnswer(const Model& model, const Forward& f = {});

}  // namespace heddle::verify
