// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: R rows (unfinished texts), V vocabulary.

#include "engine/decode/decoding.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace heddle {

/// An unfinished text.
struct Path {
    std::size_t job = 0;     ///< index of its job
    std::uint64_t line = 0;  ///< line number and sample index: they select the random stream
    std::uint32_t sample = 0;
    Sentence tokens;
    double logProbability = 0;
};

/// Scores of the next token, for samplers that need the whole row.
struct NextScores {
    at::Tensor logits_RV;         ///< float32; −∞ for <pad> and <sos>
    at::Tensor logNormaliser_R1;  ///< log Σ exp over the whole vocabulary
};
/// Overwrites the logits.
NextScores scoresOf(const at::Tensor& logits_RV);

/// A path with one more token.
struct Extension {
    std::size_t path = 0;  ///< index into the given paths
    std::int32_t token = 0;
    double logProbability = 0;  ///< of the whole text
};

/// Chooses the next tokens. Const; draws depend on the paths only.
class Sampler {
public:
    virtual ~Sampler() = default;
    /// Extensions of the paths, grouped by job, best first within a job. The paths of a job must be adjacent. Raw logits [R,V],
    /// float32, one row per path; may be overwritten.
    virtual std::vector<Extension> choose(const at::Tensor& logits_RV, const std::vector<Path>& paths) const = 0;
};

std::unique_ptr<Sampler> makeSampler(const SearchOptions& options);

/// Keeps the extensions of a job (best first) that beam search uses: the first `beam` without <eos>, and every <eos> among the
/// first `beam` of all.
void keepBeam(std::vector<Extension>& ofJob, std::size_t beam);
std::unique_ptr<Sampler> makeBeamSampler(std::int64_t beam);

}  // namespace heddle
