// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/report/emitter.h"
#include "engine/train/step/step.h"

#include <cstdint>
#include <vector>

namespace heddle {

/// Emits, for every `every`-th step of several micro-batches, what McCandlish et al. 2018 (appendix A.1) estimate from the
/// gradients of batches of two sizes, here micro-batches of b labels (1/b: the mean of 1/b_i) and the step of B:
///   "gradient_signal"  |G|² = (|G_B|² − S/B), the squared norm of the true gradient
///   "gradient_noise"   S = (mean |g_i|² − |G_B|²) / (1/b − 1/B), the trace of the covariance of one label's gradient
///   "noise_scale"      S / |G|², the batch size in labels above which a larger one gains little (their B_simple)
/// One step's estimates are noisy and may be negative: average them over steps. Steps of one micro-batch, or of several
/// processes, have none.
class NoiseWatch {
public:
    /// `every`: 0 disables it.
    explicit NoiseWatch(std::int64_t every) : every_(every) {}

    bool isDue(std::int64_t step) const { return every_ > 0 && step % every_ == 0; }
    /// Stores what a step measured on its device, without synchronisation.
    void take(std::int64_t step, const TrainStep& taken);
    bool isFull() const { return taken_.size() >= kKept; }
    /// Emits what is stored. Waits for the device.
    void emit(Emitter& emitter);

private:
    static constexpr std::size_t kKept = 16;
    struct Taken {
        std::int64_t step;
        MicroGradients micro;
        at::Tensor gradientNorm;
    };
    std::int64_t every_;
    std::vector<Taken> taken_;
};

}  // namespace heddle
