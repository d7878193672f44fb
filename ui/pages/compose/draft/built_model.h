// SPDX-License-Identifier: GPL-3.0-or-later
// What the database keeps of the model that a run was built with.
#pragma once

#include "engine/spec/built_module.h"
#include "storage/run_query.h"
#include "ui/pages/compose/draft/draft_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

struct BuiltModel {
    AssumedVocabulary sizes;  ///< that the data had
    std::int64_t parameters = 0;
    std::vector<BuiltModule> modules;  ///< in model order; empty: the run comes from a version that kept no list
};

/// A module that differs between a run's model and the model that its variant builds today.
struct ModuleDifference {
    std::string path;
    std::optional<BuiltModule> built, now;  ///< absent: that model has no such module
};

/// Reads the newest attempt that has described its model. Nothing: the run was never built, or is not there.
std::optional<BuiltModel> readBuiltModel(storage::RunQuery& query, const std::string& run);

/// Compares a run's modules with those that its variant has today. Returns the modules whose block or parameters differ, in
/// model order, and then those that only the run has.
std::vector<ModuleDifference> moduleDifferences(const std::vector<BuiltModule>& built, const DraftFacts& now);

}  // namespace heddle::ui
