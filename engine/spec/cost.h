// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"
#include "engine/spec/variant_spec.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// One module of the count: a slot's block, an embedding or the head.
struct ModuleCost {
    std::string path;  ///< "encoder.layers.0.self.residual"
    std::int64_t parameters = 0;
    double flopsPerToken = 0;          ///< forward; multiply-add counts as 2
    double flopsBackwardPerToken = 0;  ///< in training: 2 × forward for every evaluation that the gradient goes through
};

struct Cost {
    std::int64_t parameters = 0;
    std::vector<ModuleCost> modules;  ///< in model order; modules without parameters are listed too
};

/// The training step that is measured: its batch and its optimizer.
struct BatchShape {
    std::int64_t sentences = 32;
    std::int64_t source = 0, target = 0;  ///< tokens of every sentence; 0: dims.max_len
    OptimizerKind optimizer = OptimizerKind::AdamW;
    bool documents = false;  ///< attention is masked by documents (Packing::Documents)
};

/// Memory of a training step (Engine::measureStepMemory).
struct StepMemory {
    double activationBytes = 0;  ///< saved from forward to backward
    double peakBytes = 0;        ///< the most at a time: parameters, moments, gradients, activations, temporaries
    double stateBytes = 0;       ///< the part of peakBytes that parameters and the optimizer's moments take
    std::map<std::string, double> activationBytesByModule;  ///< by the paths of Cost::modules
};

/// Number of logits that a training step holds at once on a CPU.
inline constexpr std::int64_t kLogitsAtOnce = std::int64_t{1} << 24;
/// The corresponding number of labels, at least one.
std::int64_t labelsAtOnce(const ResolvedVariant& variant, std::int64_t logitsAtOnce = kLogitsAtOnce);

/// False if a block's size depends on an unknown vocabulary size.
bool hasVocabulary(const ResolvedVariant& variant);
/// Throws Error(InvalidInput) in that case.
void throwIfVocabularyIsMissing(const ResolvedVariant& variant);

/// Maximum sequence length of all blocks, in tokens with <sos> or <eos>; dims.max_len unless a block limits it further.
std::int64_t longestSequence(const ResolvedVariant& variant);

/// Counts by the descriptors' closed forms, without torch. Vocabulary sizes must be known. FLOPs that depend on a length are
/// those of a sequence of `tokens`; 0: dims.max_len.
Cost countCost(const ResolvedVariant& variant, std::int64_t tokens = 0);

}  // namespace heddle
