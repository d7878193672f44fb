// SPDX-License-Identifier: GPL-3.0-or-later
// What the database keeps of the model that a run was built with.
#pragma once

#include "engine/spec/built_module.h"
#include "storage/run_query.h"
#include "ui/pages/compose/draft_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

struct BuiltModel {
    AssumedVocabulary sizes;  ///< that the data had
    std::int64_t parameters = 0;
    std::vector<BuiltModule> modules;  ///< in model order; empty: a run of an earlier version, which kept no list
};

/// A module whose block or parameters are not those of the run's model.
struct OtherModule {
    std::string path;
    std::optional<BuiltModule> built, now;  ///< nothing: the model has no such module
};

/// Reads the newest attempt that has described its model. Nothing: the run was never built, or is not there.
std::optional<BuiltModel> readBuiltModel(storage::RunQuery& query, const std::string& run);

/// What a variant would be built with today but for what the run was built with, in model order.
std::vector<OtherModule> otherModules(const std::vector<BuiltModule>& built, const DraftFacts& now);

}  // namespace heddle::ui
