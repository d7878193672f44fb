// SPDX-License-Identifier: GPL-3.0-or-later
// What the database keeps of the model that a run was built with.
#pragma once

#include "engine/spec/draft_facts.h"
#include "engine/spec/module_differences.h"
#include "storage/run_query.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

struct BuiltModel {
    AssumedVocabulary sizes;  ///< that the data had
    std::int64_t parameters = 0;
    std::vector<BuiltModule> modules;  ///< in model order; empty: the run comes from a version that kept no list
};

/// Reads the newest attempt that has described its model. Nothing: the run was never built, or is not there.
std::optional<BuiltModel> readBuiltModel(storage::RunQuery& query, const std::string& run);

/// The model of a run beside the model that its specification comes to today, counted with the sizes of its data.
struct BuiltComparison {
    BuiltModel built;
    std::int64_t parameters = 0;  ///< of the specification; 0: it is not valid
    std::vector<ModuleDifference> differences;
};
/// Counts the specification: too slow for the thread of a database.
BuiltComparison compareBuilt(const BuiltModel& built, const Json& document);
/// Names the first modules that differ and counts the rest.
QString wordsOf(const std::vector<ModuleDifference>& differences);

}  // namespace heddle::ui
