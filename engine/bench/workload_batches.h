// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/workload.h"
#include "engine/data/batching/batch.h"
#include "engine/data/loading/run_data.h"

#include <vector>

namespace heddle {

/// Batches of the workload's shape, determined by the seed. Token ids are log-uniform (near Zipf's law, so that embedding
/// gradients collide as in real text); mixed lengths are correlated log-normals with means of about 15 tokens. With full
/// lengths the source has neither <eos> nor padding.
std::vector<Batch> generateBatches(const Workload& workload, std::uint64_t seed);

/// The task's data besides the batches: a vocabulary with <mask>.
RunData workloadData(const RunSpec& spec);

/// Lengths of a batch's rows, for stepFlops.
RowLengths rowLengths(const Batch& batch);

}  // namespace heddle
