// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <vector>

namespace heddle {

/// Expands the document's preset: merges the document into it (dims and slots member by member; the document's list of
/// sublayers, each merged into the preset's sublayer of the same name; layers likewise). Reports an unknown preset.
Json expandPreset(const Json& document, std::vector<Problem>& problems);

}  // namespace heddle
