// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/buckets.h"
#include "engine/data/batching/dataset.h"
#include "engine/tasks/loss.h"

#include <vector>

namespace heddle {

/// Adds what the answers of a batch lost to their examples' sums, which are one for each example of the corpus. `loss` must
/// have LossSums::nll_N and best_N.
void addExampleLosses(const EncodedCorpus& corpus, const Batch& batch, const LossSums& loss,
                      std::vector<SentenceLoss>& examples);

}  // namespace heddle
