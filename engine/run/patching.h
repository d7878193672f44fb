// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/example_set.h"
#include "engine/run/interventions.h"
#include "engine/run/metric_effect.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// A part of a model whose output comes from another pass, at all positions: a head, before the output projection, or a
/// sublayer, on its way to the residual connection (activation patching: Meng et al. 2022, arXiv 2202.05262; Zhang and Nanda
/// 2023, arXiv 2309.16042).
struct PatchedPart {
    std::string path;  ///< of the sublayer
    std::int64_t head = kNoHead;
    bool operator==(const PatchedPart&) const = default;
    /// "decoder.layers.0.self:3", or without the head.
    std::string text() const;
};

/// Returns every head, then every sublayer, each in the order of the model.
std::vector<PatchedPart> patchableParts(const InterventionTargets& targets);

/// Takes the output of each part in turn from another checkpoint, on the same batches.
struct PatchRequest {
    RunSpec spec;                             ///< of the other checkpoint
    std::string runFolder, checkpointFolder;  ///< likewise
    ExampleSet on = {};
    /// Called after each part with the number done and the number of all. May be empty.
    std::function<void(std::int64_t done, std::int64_t all)> progress = {};
};

struct PatchReport {
    std::string split;
    std::int64_t examples = 0;
    MetricEffect whole;  ///< of the loss: this model, and the other model in its place
    struct Entry {
        PatchedPart part;
        MetricEffect loss;    ///< this model, and this model with the other's output; as in a ranking
        double restored = 0;  ///< share of whole.difference(); NaN: it is 0
    };
    std::vector<Entry> entries;         ///< sorted by `restored`, largest first
    std::int64_t all = 0;               ///< number of parts; more than there are entries if it was stopped
    std::vector<std::string> warnings;  ///< to be shown beside the numbers
    double seconds = 0;
};

/// Takes the output of each part in turn from a pass over `clean` into a pass over `corrupt`.
struct TextPatchRequest {
    std::string clean, corrupt;  ///< with equally many tokens
};

/// The logit difference of two answers: of the clean text's and the corrupt text's likeliest label.
struct TextPatchReport {
    std::string cleanAnswer, corruptAnswer;
    std::string prefix;  ///< translation: what both outputs begin with; the answers are the next token
    double clean = 0, corrupt = 0;
    struct Entry {
        PatchedPart part;
        double patched = 0;   ///< logit difference
        double restored = 0;  ///< (patched − corrupt) ÷ (clean − corrupt)
    };
    std::vector<Entry> entries;  ///< sorted by `restored`, largest first
    double seconds = 0;
};

}  // namespace heddle
