// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_schema.h"

namespace heddle {

/// The sublayers, by name only, of a stack whose list the variant document does not state: its preset's, else the standard
/// ones.
Json impliedSublayers(const Json& variant, const std::string& stack);

/// Moves a sublayer to another place (0: first) in every layer of its stack, by writing the stack's list; the settings of
/// sublayers and layers stay. Throws if the stack has no such sublayer or no such place.
void moveSublayer(Json& variant, const SublayerPlace& sublayer, int place);

}  // namespace heddle
