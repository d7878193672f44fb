// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A training benchmark: a model, its task and the shape of its batches (resources/bench/workloads.json).
struct Workload {
    std::string name, summary;
    RunSpec spec;  ///< variant with known vocabularies, task, optimizer; no data
    enum class Lengths {
        Full,    ///< every row is `width` long
        Mixed,   ///< realistic lengths in random order, padded to the longest of the batch
        Buckets  ///< the same lengths bucketed: batches of one width and about `tokens` padded tokens a side
    } lengths = Lengths::Full;
    std::int64_t rows = 1, width = 1;  ///< of a batch; the longest sentence where lengths are mixed
    std::int64_t batches = 1;          ///< number of distinct batches, with Lengths::Full
    std::int64_t sentences = 0;        ///< number of sentences, with mixed lengths
    std::int64_t tokens = 0, bucket = 1;
    std::int64_t parameters = 0;  ///< expected count; 0: not stated
};

enum class WorkloadSize { Full, Small };  ///< Small: the same model, fewer and shorter rows

/// Names of all workloads, in the order of the file.
std::vector<std::string> workloadNames();

/// Throws Error(Usage) with a suggestion for a name that is not one of them.
Workload findWorkload(const std::string& name, WorkloadSize size);

/// The steps of a run on generated text, in batches as large as the run's. Sentence pairs have realistic lengths, other texts
/// the model's maximum length. Throws Error(InvalidInput) for a task whose data cannot be generated, and when the vocabulary
/// sizes are unknown before the data are read.
Workload stepWorkload(const RunSpec& run);

/// Row lengths of a batch with <eos>, without padding; `target` is empty unless the model has encoder and decoder.
struct RowLengths {
    std::vector<std::int64_t> source, target;
};

/// Floating-point operations of one training step: three times the matrix products of the forward pass on real tokens,
/// attention counted dense (a causal mask saves nothing), a multiply-add as two. `labels`: rows of the output projection.
double stepFlops(const ResolvedVariant& variant, const RowLengths& lengths, std::int64_t labels);

}  // namespace heddle
