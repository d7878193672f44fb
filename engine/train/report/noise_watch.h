// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/report/step_watch.h"
#include "engine/train/step/step.h"

#include <cstdint>

namespace heddle {

/// What a step measured for its noise.
struct NoiseTaken {
    std::int64_t step;
    MicroGradients micro;
    at::Tensor gradientNorm;
};

/// Emits an estimate of the gradient noise scale (McCandlish et al. 2018, appendix A.1) at every `every`-th step that has
/// several micro-batches. The estimate compares the squared gradient norms of a small and a large batch. The small batches are
/// the micro-batches: b_i labels, gradient g_i, 1/b the mean of all 1/b_i. The large batch is the step: B labels, gradient G_B.
///   "gradient_signal"  |G|² = |G_B|² − S/B, the squared norm of the true gradient
///   "gradient_noise"   S = (mean |g_i|² − |G_B|²) / (1/b − 1/B), the trace of the covariance of the gradient of one label
///   "noise_scale"      S / |G|², B_simple of the paper: with more labels than this, a larger batch gains little
/// The estimates of a single step are noisy and may be negative; their averages over many steps are useful. A step of one
/// micro-batch, or of several processes, gives no estimate.
class NoiseWatch : public StepWatch<NoiseTaken> {
public:
    using StepWatch::StepWatch;

    /// Stores what a step measured on its device, without synchronisation.
    void take(std::int64_t step, const TrainStep& taken);
    /// Emits the stored estimates. Waits for the device.
    void emit(Emitter& emitter);
};

}  // namespace heddle
