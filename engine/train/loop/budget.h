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

/// The step after which train.budget ends a run by its tokens (Batch::workTokens()) or FLOPs, whichever is earlier; 0: neither
/// is limited. It is the first step with which the run has read as many; a token has the FLOPs that it has in a row of the mean
/// length. The batches are planned as training does, so that the step is known before the first one.
std::int64_t lastStepOfBudget(const RunSpec& spec, const ResolvedVariant& variant, const EncodedCorpus& train);

}  // namespace heddle
