// SPDX-License-Identifier: GPL-3.0-or-later
// The model of a run as the database recorded it.
#pragma once

#include "engine/spec/draft_facts.h"
#include "storage/run_query.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

struct BuiltModel {
    AssumedVocabulary sizes;  ///< of the data
    std::int64_t parameters = 0;
    std::vector<BuiltModule> modules;  ///< in model order; empty: the run is from a version that recorded no list
};

/// Reads the newest attempt that recorded its model. Nothing: the run was never built or does not exist.
std::optional<BuiltModel> readBuiltModel(storage::RunQuery& query, const std::string& run);

/// The recorded model of a run, compared with the model that its specification gives now, with the sizes of its data.
struct BuiltComparison {
    BuiltModel built;
    std::int64_t parameters = 0;  ///< of the specification; 0: it is invalid
    std::vector<ModuleDifference> differences;
};
/// Counts the specification: too slow for the thread of a database.
BuiltComparison compareBuilt(const BuiltModel& built, const Json& document);
/// Names the first modules that differ and counts the rest.
QString wordsOf(const std::vector<ModuleDifference>& differences);

}  // namespace heddle::ui
