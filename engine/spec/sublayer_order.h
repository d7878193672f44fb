// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_schema.h"

namespace heddle {

/// The list of a stack's sublayers that a variant document leaves unsaid, with names only: its preset's, else the standard one.
Json impliedSublayers(const Json& variant, const std::string& stack);

/// Puts a sublayer at another place (0: first) of every layer of its stack, by writing the stack's list; what is said of
/// sublayers and layers stays. Throws if the stack has no such sublayer or no such place.
void moveSublayer(Json& variant, const SublayerPlace& sublayer, int place);

}  // namespace heddle
