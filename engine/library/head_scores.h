// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/library/model_on_examples.h"
#include "engine/run/head_labels.h"
#include "engine/spec/task_kinds.h"

namespace heddle {

/// Where head scores come from.
struct HeadScoring {
    const ModelOnExamples& on;
    const RunData& data;        ///< tokenizers
    std::int64_t examples = 0;  ///< of the whole split, of which `on` has the first ones
    const LabelsRequest& request;
    const TaskKind& task;
};

/// LabelsReport::heads with their labels, and warnings that are added to it. False when it was interrupted. Throws Error(Usage)
/// for a model without attention, and for alignments where nothing is translated; Error(InvalidInput) for a file of alignments
/// that does not fit the split.
bool scoreHeads(const HeadScoring& scoring, LabelsReport& report);

}  // namespace heddle
