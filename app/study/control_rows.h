// SPDX-License-Identifier: Apache-2.0
// The rows that a study makes itself.
#pragma once

#include "app/study/step_times.h"
#include "engine/analysis/study.h"
#include "engine/spec/draft_facts.h"
#include "storage/run_query.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Gives the row of each control its spec: that of the baseline with the width that makes it as large as its variant; one
/// matched in time gets none before setTimes(). `assumed`: the sizes to count with where only the data tell them. `isKnown`:
/// these are the sizes that the baseline's first run found. Throws Error(InvalidInput) naming `file` where no width does, where
/// the baseline is as large already, and where a run may stop early that is to be matched in time.
std::vector<ControlSize> sizeControls(Study& study, const AssumedVocabulary& assumed, bool isKnown, const std::string& file);

/// Gives the rows of the controls matched in time their spec, all at once: that of the baseline with as many steps as take the
/// time of a run of the variant, n of the variant × (seconds of its step ÷ seconds of the baseline's), and no limit of epochs.
/// Two of these rows with the same number, or one with the baseline's, would be the same run: the later one gets the next
/// number.
/// `times` has the step times of one run of each row, by the row's name. If one is missing, or if they were measured in
/// different places, the control's `problem` says so.
void setTimes(Study& study, std::vector<ControlSize>& controls, const std::map<std::string, StepTimes>& times);

/// The sizes of vocabularies and classes that a run found in its data; nothing while it has not read them.
std::optional<AssumedVocabulary> sizesFoundBy(storage::RunQuery& query, const std::string& run);

}  // namespace heddle::app
