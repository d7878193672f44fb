// SPDX-License-Identifier: GPL-3.0-or-later
// What the database keeps of the model that a run was built with.
#pragma once

#include "storage/run_query.h"
#include "ui/pages/compose/draft_facts.h"

#include <optional>

namespace heddle::ui {

struct BuiltModel {
    AssumedVocabulary sizes;  ///< that the data had
    std::int64_t parameters = 0;
};

/// Reads the newest attempt that has described its model. Nothing: the run was never built, or is not there.
std::optional<BuiltModel> readBuiltModel(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::ui
