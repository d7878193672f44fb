// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/decode/decoding.h"
#include "engine/run/engine.h"
#include "engine/tasks/task.h"

#include <string>
#include <vector>

namespace heddle {

/// A model of a labelling task with all that it needs to be asked.
struct Labeller {
    const Model& model;
    const Task& task;
    const RunSpec& spec;
    const RunData& data;
};

/// What the model of a labelling task (classify, regress, tag, span, image) says to each example, in order; texts that are
/// too long are cut as in training. Throws Error(Usage) for another task. See InferenceSession::classify.
std::vector<Labelled> labelExamples(const Labeller& labeller, const std::vector<Unlabelled>& examples,
                                    const DecodeOptions& options);

}  // namespace heddle
