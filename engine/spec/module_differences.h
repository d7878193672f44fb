// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/built_module.h"
#include "engine/spec/draft_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A module that differs between a run's model and the model that its variant builds today.
struct ModuleDifference {
    std::string path;
    std::optional<BuiltModule> built, now;  ///< absent: that model has no such module
};

/// Compares a run's modules with those that its variant has today. Returns the modules whose block or parameters differ, in
/// model order, and then those that only the run has.
std::vector<ModuleDifference> moduleDifferences(const std::vector<BuiltModule>& built, const DraftFacts& now);

}  // namespace heddle
