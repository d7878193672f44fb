// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/report/step_watch.h"
#include "engine/train/step/optimizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Norms of the gradients of a step's parameters.
struct GradientNorms {
    std::int64_t step;
    std::vector<std::string> paths;
    at::Tensor norms;  ///< [paths]
};

/// Emits series "grad_norm" with a path at every `every`-th step: the L2 norm, before clipping, of the gradient of each module
/// ("encoder.layers.0.self.scorer"), each layer ("encoder.layers.0") and each stack ("encoder"). The squares of parts sum to
/// the square of the whole. Parameters without a gradient in a step count as zero.
class GradientWatch : public StepWatch<GradientNorms> {
public:
    using StepWatch::StepWatch;

    /// Stores the norms of a step on its device, without synchronisation.
    void take(std::int64_t step, const Optimizer::Update& update);
    /// Emits the stored norms. Waits for the device.
    void emit(Emitter& emitter);
};

}  // namespace heddle
