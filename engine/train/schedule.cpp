// SPDX-License-Identifier: Apache-2.0
#include "engine/train/schedule.h"

#include "engine/spec/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace heddle {

double learningRate(const TrainSpec& spec, std::int64_t d, std::int64_t step) {
    if (step < 1) throwInvalid("no learning rate for step " + std::to_string(step), "train.schedule", "steps count from 1");
    const auto s = static_cast<double>(step);
    const auto w = static_cast<double>(std::max<std::int64_t>(1, spec.warmup));
    if (spec.schedule == "constant") return spec.lr;
    if (spec.schedule == "noam")
        return spec.noamFactor * std::pow(static_cast<double>(d), -0.5) * std::min(std::pow(s, -0.5), s * std::pow(w, -1.5));
    if (spec.schedule == "noam_peak") return spec.lr * std::min(s / w, std::sqrt(w / s));
    if (spec.schedule == "constant_after_warmup") return spec.lr * std::min(1.0, s / w);
    throwInvalid("unknown schedule \"" + spec.schedule + "\"", "train.schedule",
                 "use constant, noam, noam_peak or constant_after_warmup");
}

}  // namespace heddle
