// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/field_schema.h"

#include <string>
#include <vector>

namespace heddle {

/// A slot's value `over` on top of `base`: same block (or none named): member by member; another block: `over` alone, so that
/// parameters of one kind never leak into another.
Json mergeSlot(const std::string& slot, const Json& base, const Json& over);

/// The document with its preset written out: the preset is the base, the document lies over it (dims and slots member by
/// member; the document's list of sublayers, each over the preset's of the same name; layers likewise). An unknown preset is
/// a problem.
Json expandPreset(const Json& document, std::vector<Problem>& problems);

}  // namespace heddle
