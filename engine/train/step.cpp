// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step.h"

#include "engine/device/torch_pch.h"
#include "engine/train/device_batch.h"
#include "engine/train/loss.h"
#include "engine/train/schedule.h"

namespace heddle {

TrainStep::TrainStep(Model& model, const TrainSpec& spec, std::uint64_t seed, const at::Device& device)
    : model_(model),
      spec_(spec),
      seed_(seed),
      device_(device),
      precision_(precisionFromName(spec.precision)),
      optimizer_(model.parameters(), spec),
      ring_(device) {}

double TrainStep::learningRateAt(std::int64_t step) const { return learningRate(spec_, model_.variant().dims.d, step); }

void TrainStep::run(const std::vector<Batch>& microBatches) {
    std::int64_t tokens = 0;
    for (const Batch& batch : microBatches) tokens += batch.targetTokens;
    const double scale = 1.0 / static_cast<double>(std::max<std::int64_t>(1, tokens));

    ++step_;
    Sums sums;
    for (std::size_t i = 0; i < microBatches.size(); ++i) {
        const Sums micro = forwardBackward(microBatches[i], static_cast<std::int64_t>(i), scale);
        sums = i == 0 ? micro : Sums{sums.objective + micro.objective, sums.nll + micro.nll, sums.correct + micro.correct};
        taps_ = nullptr;
    }
    const auto update = optimizer_.update(learningRateAt(step_), sums.objective);
    ring_.push({sums.objective, sums.nll, sums.correct, update.gradientNorm, update.notFinite});
}

TrainStep::Sums TrainStep::forwardBackward(const Batch& batch, std::int64_t microStep, double scale) {
    const DeviceBatch input = toDevice(batch, device_);
    Forward forward;
    forward.training = true;
    forward.seed = seed_;
    forward.step = static_cast<std::uint64_t>(step_);
    forward.microStep = static_cast<std::uint32_t>(microStep);
    forward.taps = taps_ ? taps_ : &noTaps();

    at::Tensor logits_NV;
    {
        const AutocastScope autocast(device_, precision_);
        const auto memory_BSD = model_.encode({input.source_BS, {}}, forward);
        const auto hidden_BTD = model_.decode({input.targetIn_BT, {}}, {memory_BSD, input.source_BS}, forward);
        logits_NV = model_.logits(hidden_BTD.flatten(0, 1).index_select(0, input.positions_N));
    }
    const LossSums loss = crossEntropyWithGradient(logits_NV, input.targets_N, {spec_.labelSmoothing, scale});
    logits_NV.backward(loss.gradient);
    return {loss.objective, loss.nll, loss.correct};
}

}  // namespace heddle
