// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/buckets.h"
#include "engine/data/batching/batch.h"
#include "engine/tasks/loss.h"

#include <vector>

namespace heddle {

/// Adds the losses of a batch's labels to the sums of their examples. `examples` has one element for each example of the
/// corpus; `loss` must have LossSums::nll_N and best_N.
void addExampleLosses(const EncodedCorpus& corpus, const Batch& batch, const LossSums& loss,
                      std::vector<SentenceLoss>& examples);

}  // namespace heddle
