// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/encoded_corpus.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/variant_spec.h"

#include <cstdint>

namespace heddle {

/// FLOPs of one token in training, forward and backward, by the closed forms of the variant's blocks (countCost()), in a
/// sequence of `length` tokens; with encoder and decoder, of one source and one target token. Vocabulary sizes must be known.
double trainingFlopsPerToken(const ResolvedVariant& variant, std::int64_t length);

/// The step after which the tokens (Batch::workTokens()) or FLOPs of train.budget end a run, whichever does so first; 0:
/// neither is limited. It is the first step after which the run has processed at least as many. The FLOPs of a token are those
/// in a row of mean length. The batches of each epoch are planned as training plans them, so the step is known before training.
std::int64_t lastStepOfBudget(const RunSpec& spec, const ResolvedVariant& variant, const EncodedCorpus& train);

}  // namespace heddle
