// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <string>
#include <vector>

namespace heddle {

/// Merges a slot's value `over` into `base`: member by member for the same (or no) block, otherwise `over` replaces it, so that
/// parameters of one kind never leak into another.
Json mergeSlot(const std::string& slot, const Json& base, const Json& over);

/// Expands the document's preset: merges the document into it (dims and slots member by member; the document's list of
/// sublayers, each merged into the preset's sublayer of the same name; layers likewise). Reports an unknown preset.
Json expandPreset(const Json& document, std::vector<Problem>& problems);

}  // namespace heddle
