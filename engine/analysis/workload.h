// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A training step whose speed is measured: a model, its task and the shape of its batches (resources/bench/workloads.json).
struct Workload {
    std::string name, summary;
    RunSpec spec;  ///< variant with known vocabularies, task, optimizer; no data
    enum class Lengths {
        Full,    ///< every row is `width` long
        Mixed,   ///< a real mix of lengths in random order, padded to the longest of a batch
        Buckets  ///< the same mix by length: batches of one width and about `tokens` padded tokens a side
    } lengths = Lengths::Full;
    std::int64_t rows = 1, width = 1;  ///< of a batch; the longest sentence where lengths are mixed
    std::int64_t batches = 1;          ///< different ones, when full
    std::int64_t sentences = 0;        ///< of which a mix is made
    std::int64_t tokens = 0, bucket = 1;
    std::int64_t parameters = 0;  ///< what the model must have; 0: not stated
};

enum class WorkloadSize { Full, Small };  ///< Small: the same model on fewer and shorter rows

/// Names of all workloads, in the order of the file.
std::vector<std::string> workloadNames();

/// Throws Error(Usage) with a suggestion for a name that is not one of them.
Workload findWorkload(const std::string& name, WorkloadSize size);

/// Lengths of a batch's rows with their end marks, without padding; `target` is empty without a decoder beside an encoder.
struct RowLengths {
    std::vector<std::int64_t> source, target;
};

/// Floating-point operations of one training step: three times the matrix products of the forward pass on real tokens,
/// attention counted dense (nothing saved by a causal mask), a multiply-add as two. `answers`: rows of the output map.
double stepFlops(const ResolvedVariant& variant, const RowLengths& lengths, std::int64_t answers);

}  // namespace heddle
