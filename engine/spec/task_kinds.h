// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// What a run asks of its model: a value of data.task.
struct TaskKind {
    std::string id, title;
    std::string summary;                  ///< one sentence, for users
    std::vector<std::string> topologies;  ///< of the models that can do it
    std::vector<std::string> heads;
    std::vector<std::string> metrics;  ///< of an evaluation besides its loss; the first decides between checkpoints by hand
    bool readsPairs = false;           ///< data.<split> names two files
    bool hasTokenizer = true;
};

/// All tasks, in the order in which they are offered.
const std::vector<TaskKind>& taskKinds();
std::vector<std::string> taskNames();
/// Throws Error(InvalidInput) with a suggestion.
const TaskKind& taskKind(const std::string& id);

/// Classes that a classifier's outputs tell apart: dims.classes of them, or two where its one output is trained with a hinge
/// loss (score > 0 is the second class; variants.md S11).
std::int64_t classesOfOutputs(const RunSpec& spec);

/// Throws Error(InvalidInput) where this variant cannot do the run's task: topology or head do not fit, naming the nearest that
/// does.
void throwIfNotTrainable(const RunSpec& spec);

}  // namespace heddle
