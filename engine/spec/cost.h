// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <string>
#include <vector>

namespace heddle {

/// One module of the count: a slot's block, an embedding or the head.
struct ModuleCost {
    std::string path;  ///< "encoder.layers.0.self.residual"
    std::int64_t parameters = 0;
    double flopsPerToken = 0;  ///< forward; multiply-add counts as 2
    // Of a training step; countTrainingCost() fills them in.
    double flopsBackwardPerToken = 0;
    double activationBytes = 0;  ///< held from the forward pass to the backward pass
};

struct Cost {
    std::int64_t parameters = 0;
    std::vector<ModuleCost> modules;  ///< in model order; modules without parameters are listed too
    double activationBytes = 0;
    double peakBytes = 0;  ///< most that a training step holds at a time: parameters, moments, gradients, activations, …
};

/// What the memory of a training step depends on besides the variant.
struct BatchShape {
    std::int64_t sentences = 32;
    std::int64_t source = 0, target = 0;  ///< tokens of every sentence; 0: dims.max_len
    std::int64_t elementBytes = 4;        ///< of a number: 4 for float32
    /// What a fused attention holds: what it gives and a number for every row of scores (torch's), or nothing (Heddle's own,
    /// which works the scores out again).
    enum class FusedAttention { HoldsResult, HoldsNothing } fusedAttention = FusedAttention::HoldsResult;
};

/// How many logits a training step has in memory at once on a CPU.
inline constexpr std::int64_t kLogitsAtOnce = std::int64_t{1} << 24;
/// How many answers those are: one at least.
std::int64_t answersAtOnce(const ResolvedVariant& variant, std::int64_t logitsAtOnce = kLogitsAtOnce);

/// False where a block's size depends on a vocabulary whose size is not known.
bool hasVocabulary(const ResolvedVariant& variant, const Catalogue& catalogue);
/// Throws Error(InvalidInput) in that case.
void throwIfVocabularyIsMissing(const ResolvedVariant& variant, const Catalogue& catalogue);

/// Tokens of the longest sequence that every block takes, with its end marks; dims.max_len where none says less.
std::int64_t longestSequence(const ResolvedVariant& variant, const Catalogue& catalogue);

/// Counts by the descriptors' closed forms alone; needs no torch. Vocabulary sizes must be known.
Cost countCost(const ResolvedVariant& variant, const Catalogue& catalogue);

/// The same with the cost of a training step on sentences of these lengths, without padding, by Adam or AdamW: FLOPs backward,
/// activations, and the peak as the CPU has it (every position of a head that speaks a vocabulary reaches the loss). FLOPs that
/// depend on a length are those at the batch's.
Cost countTrainingCost(const ResolvedVariant& variant, const Catalogue& catalogue, const BatchShape& shape);

}  // namespace heddle
