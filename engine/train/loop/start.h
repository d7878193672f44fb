// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/model/model.h"
#include "engine/run/events.h"
#include "engine/spec/run_spec.h"

namespace heddle {

/// Whether the run starts from published weights (a file, readReleasedBert()) and not from a checkpoint of a run (a folder).
bool startsFromRelease(const StartSpec& start);

/// Of every word of the run's vocabulary its line in the publisher's vocab.txt, from 0; empty for a run that does not start
/// from published weights. Throws Error(InvalidInput) where data.tokenizer is not made from such a file.
std::vector<std::int64_t> publishedRows(const RunSpec& spec, const RunData& data);

/// Gives a fresh model the weights that the run starts from: parameters of equal path and shape are taken over, of longer
/// learned positions the first ones, the others keep what they were drawn as, or with start.neutral what makes their block as
/// good as absent (BlockDescriptor:: neutral). Frozen parameters stop asking for gradients. Returns what
/// happened. Throws Error(InvalidInput) when the checkpoint is damaged, is not the one that the spec names, shares no parameter
/// with the model, or when everything would be frozen.
StartedFrom startFrom(Model& model, const StartSpec& start, const std::vector<std::int64_t>& publishedRows);

/// The part of it that a resumed run needs: its weights come from its own checkpoint.
void freezeParameters(Model& model, const StartSpec& start);

}  // namespace heddle
