// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/model/model.h"
#include "engine/run/events.h"
#include "engine/spec/run_spec.h"

namespace heddle {

/// Whether the run starts from published weights (a file, readReleasedBert()) instead of a run's checkpoint (a folder).
bool startsFromRelease(const StartSpec& start);

/// The line in the publisher's vocab.txt, from 0, of every entry of the run's vocabulary; empty unless the run starts from
/// published weights. Throws Error(InvalidInput) when data.tokenizer is not made from such a file.
std::vector<std::int64_t> publishedRows(const RunSpec& spec, const RunData& data);

/// Initialises a model from the run's start weights. Copies parameters of equal path and shape, and the first rows of longer
/// learned positions; rows that stand for classes (BlockDescriptor::classRows) follow the names of the run's `classes`, and are
/// not taken from a head for others. Other parameters keep their random values, or with start.neutral get the values that make
/// their block ineffective (BlockDescriptor::neutral). Disables gradients of frozen parameters. Returns a summary. Throws
/// Error(InvalidInput) when the checkpoint is damaged, is not the one that the spec names, shares no parameter with the model,
/// has a head for answers that were words (requireSameAnswers()) where this run's are offsets, or when all parameters would be
/// frozen; and when published weights have another shape outside the head.
StartedFrom startFrom(Model& model, const StartSpec& start, const std::vector<std::int64_t>& publishedRows,
                      const std::vector<std::string>& classes = {});

/// Only freezes parameters, for a resumed run whose weights come from its own checkpoint.
void freezeParameters(Model& model, const StartSpec& start);

}  // namespace heddle
