// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/schedules.h"
#include "engine/train/device_batch.h"

namespace heddle {

TrainStep::TrainStep(Model& model, const Task& task, const TrainSpec& spec, const Options& options)
    : model_(model),
      task_(task),
      spec_(spec),
      options_(options),
      precision_(precisionFromName(spec.precision)),
      optimizer_(model.parameters(), spec),
      ring_(options.device) {}

double TrainStep::learningRateAt(std::int64_t step) const {
    return learningRate(spec_, {step, model_.variant().dims.d, options_.lastStep, reductions_});
}

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
    lastUpdate_ = optimizer_.update(learningRateAt(step_), sums.objective);
    ring_.push({sums.objective, sums.nll, sums.correct, lastUpdate_.gradientNorm, lastUpdate_.notFinite});
}

TrainStep::Sums TrainStep::forwardBackward(const Batch& batch, std::int64_t microStep, double scale) {
    const DeviceBatch input = toDevice(batch, options_.device);
    Forward forward;
    forward.training = true;
    forward.seed = options_.seed;
    forward.step = static_cast<std::uint64_t>(step_);
    forward.microStep = static_cast<std::uint32_t>(microStep);
    forward.taps = taps_ ? taps_ : &noTaps();

    at::Tensor answers;
    {
        const AutocastScope autocast(options_.device, precision_);
        answers = task_.answers(model_, input, forward);
    }
    LossOptions options{spec_.labelSmoothing, scale};
    options.gradient = LossOptions::Gradient::OverLogits;
    const LossSums loss = task_.lossWithGradient(answers, input, options);
    answers.backward(loss.gradient);
    return {loss.objective, loss.nll, loss.correct};
}

}  // namespace heddle
