// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/cost.h"

#include <string>
#include <vector>

namespace heddle {

/// One pass through one module in a training step.
struct TrainingVisit {
    std::string path;
    double held = 0;           ///< bytes that autograd holds from here on, until the backward pass comes by
    double waiting = 0;        ///< bytes that are there besides: scores that a later layer may read
    double widest = 0;         ///< bytes of the largest tensor here
    double flopsBackward = 0;  ///< a token
};

struct TrainingPass {
    std::vector<TrainingVisit> visits;  ///< in the order of evaluation
    double headBytes = 0;  ///< what a head that speaks a vocabulary needs besides: logits, over which their gradient lies
};

/// A forward pass in training on sizes alone: which tensors are made, who holds them for the backward pass, and which need a
/// gradient. Goes the way of Sublayer::run and Attention::mix (variants.md section 0); the rest is the descriptors'.
TrainingPass walkTraining(const ResolvedVariant& variant, const Catalogue& catalogue, const BatchShape& shape);

}  // namespace heddle
