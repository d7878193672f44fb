// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: R rows (texts on their way), V vocabulary.

#include "engine/decode/decoding.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace heddle {

/// A text that is being decoded.
struct Path {
    std::size_t job = 0;     ///< what it is a text for
    std::uint64_t line = 0;  ///< the job's number among all lines, and which of its samples this is: name the random stream
    std::uint32_t sample = 0;
    Sentence tokens;
    double logProbability = 0;
};

/// The model's scores of the next token, for samplers that need the whole row.
struct NextScores {
    at::Tensor logits_RV;         ///< float32; −∞ for what is never chosen
    at::Tensor logNormaliser_R1;  ///< log Σ exp over the whole vocabulary
};
/// Writes over the logits.
NextScores scoresOf(const at::Tensor& logits_RV);

/// A path with one more token.
struct Extension {
    std::size_t path = 0;  ///< number in what was given
    std::int32_t token = 0;
    double logProbability = 0;  ///< of the whole
};

/// Chooses the next tokens. Const; what it draws depends on the paths alone.
class Sampler {
public:
    virtual ~Sampler() = default;
    /// Extensions of the paths, in the order of the jobs; those of one job, whose paths stand together, best first.
    /// Raw logits [R,V], float32, a row for each path; may be written over.
    virtual std::vector<Extension> choose(const at::Tensor& logits_RV, const std::vector<Path>& paths) const = 0;
};

std::unique_ptr<Sampler> makeSampler(const SearchOptions& options);

/// Keeps of a job's extensions (best first) what a beam search continues: `beam` of them without <eos>, and every <eos> among
/// the first `beam` of all.
void keepBeam(std::vector<Extension>& ofJob, std::size_t beam);
std::unique_ptr<Sampler> makeBeamSampler(std::int64_t beam);

}  // namespace heddle
