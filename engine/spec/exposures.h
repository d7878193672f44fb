// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// The tap "<sublayer path>.weight" of every attention: its weights after the softmax, before dropout.
inline constexpr const char* kAttentionWeight = "weight";

/// One thing that a variant shows: the tap "<module>.<exposure.id>".
struct ModuleExposure {
    std::string module;    ///< "encoder.layers.0.self", "encoder.layers.0.self.residual", "encoder.share"
    std::string sublayer;  ///< path of the sublayer it belongs to; empty for a stack's own
    Exposure exposure;

    std::string path() const { return module + "." + exposure.id; }
};

/// Everything that the sublayers of a variant, their blocks and its stacks show.
std::vector<ModuleExposure> exposuresOf(const ResolvedVariant& variant);

}  // namespace heddle
