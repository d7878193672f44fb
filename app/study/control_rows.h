// SPDX-License-Identifier: Apache-2.0
// The rows that a study makes itself.
#pragma once

#include "engine/analysis/study.h"
#include "engine/spec/draft_facts.h"
#include "storage/run_query.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Gives the row of each control its spec: that of the baseline with the width that makes it as large as its variant.
/// `assumed`: the sizes to count with where only the data tell them. `isKnown`: these are the sizes that the baseline's first
/// run found. Throws Error(InvalidInput) naming `file` where no width does, or where the baseline is as large already.
std::vector<ControlSize> sizeControls(Study& study, const AssumedVocabulary& assumed, bool isKnown, const std::string& file);

/// The sizes of vocabularies and classes that a run found in its data; nothing while it has not read them.
std::optional<AssumedVocabulary> sizesFoundBy(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::app
