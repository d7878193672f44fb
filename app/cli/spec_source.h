// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <string>
#include <vector>

namespace heddle::app {

/// A SPEC argument as a run-spec document: a JSON file (a run spec or a bare variant) or the name of a preset; then every
/// --set. `base` becomes the folder that the file's relative data paths start from.
Json readSpec(const std::string& spec, const std::vector<std::string>& assignments, std::string& base);

/// readSpec, parsed and checked.
RunSpec readRunSpec(const std::string& spec, const std::vector<std::string>& assignments);
VariantSpec readVariant(const std::string& spec, const std::vector<std::string>& assignments);

/// Throws Error(InvalidInput) unless the device can be one, training data are named, and every file that is named is there:
/// told at once, before a run is made of it.
void requireUsable(const RunSpec& spec);

}  // namespace heddle::app
