// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/workload.h"
#include "engine/data/batching/dataset.h"

#include <vector>

namespace heddle {

/// Batches of the workload's shape, from the seed alone. Ids are log-uniform (near Zipf's law, so that gradients of
/// embeddings collide as they do in text); mixed lengths are correlated log-normals with means of about 15 tokens. Full
/// lengths have no end mark in the source, nor any padding.
std::vector<Batch> generateBatches(const Workload& workload, std::uint64_t seed);

/// What the workload's task needs of its data besides the batches: a vocabulary with a <mask>.
RunData workloadData(const RunSpec& spec);

/// Lengths of a batch's rows, for stepFlops.
RowLengths rowLengths(const Batch& batch);

}  // namespace heddle
