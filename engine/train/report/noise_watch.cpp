// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/noise_watch.h"

#include "engine/device/torch_pch.h"

#include <array>
#include <utility>

namespace heddle {

void NoiseWatch::take(std::int64_t step, const TrainStep& taken) {
    const MicroGradients& micro = taken.microGradients();
    if (micro.meanSquare.defined()) taken_.push_back({step, micro, taken.lastUpdate().gradientNorm.clone()});
}

void NoiseWatch::emit(Emitter& emitter) {
    if (taken_.empty()) return;
    StepBlock block;
    for (const NoiseTaken& one : taken_) {
        const double small = one.micro.meanSquare.item<double>(), norm = one.gradientNorm.item<double>();
        const double ofStep = 1 / static_cast<double>(one.micro.labels);
        const double noise = (small - norm * norm) / (one.micro.meanInverse - ofStep);
        const double signal = norm * norm - noise * ofStep;
        const std::array<std::pair<const char*, double>, 3> values{
            {{"gradient_signal", signal}, {"gradient_noise", noise}, {"noise_scale", noise / signal}}};
        for (const auto& [name, value] : values)
            block.series.push_back({name, "", one.step, 1, {static_cast<float>(value)}, true});
    }
    emitter.emitAt(taken_.back().step, std::move(block));
    taken_.clear();
}

}  // namespace heddle
