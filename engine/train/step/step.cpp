// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step.h"

#include "engine/device/device.h"
#include "engine/device/step_phase.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/late_sums.h"
#include "engine/spec/cost.h"
#include "engine/spec/schedules.h"
#include "engine/tasks/head_pieces.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

std::unique_ptr<ReducedParameters> copiesFor(const Model& model, Precision precision) {
    if (precision != Precision::BFloat16) return nullptr;
    return std::make_unique<ReducedParameters>(model.parameters().factors());
}

std::vector<at::Tensor> trainedOf(const Model& model) {
    std::vector<at::Tensor> trained;
    for (const auto& [path, tensor] : model.parameters().entries())
        if (tensor.requires_grad()) trained.push_back(tensor);
    return trained;
}

}  // namespace

StepShare StepShare::all(std::vector<Batch> batches) {
    StepShare share;
    for (Batch& batch : batches) {
        share.labels += batch.labelCount;
        share.rows += batch.rows;
        share.microBatches.push_back({std::move(batch), std::ssize(share.microBatches)});
    }
    return share;
}

TrainStep::TrainStep(Model& model, const Task& task, const TrainSpec& spec, const Options& options)
    : model_(model),
      task_(task),
      spec_(spec),
      options_(options),
      precision_(precisionFor(spec.precision, options.device)),
      copies_(copiesFor(model, precision_)),
      optimizer_(model.parameters(), spec, copies_.get()),
      average_(spec.ema > 0 ? std::make_unique<MovingAverage>(model.parameters(), spec.ema) : nullptr),
      trained_(trainedOf(model)),
      buckets_(options.group && !options.group->isAlone() ? std::make_unique<GradientBuckets>(*options.group, trained_)
                                                          : nullptr),
      ring_(options.device),
      rowsAtOnce_(labelsAtOnce(model.variant(), logitsAtOnce(options.device))),
      modelObstacle_(model.captureObstacle()) {
    if (options.makeGraph)
        captured_ = std::make_unique<CapturedSteps>(
            options.makeGraph, options.device, [this](const StepInput& input) { return compute(input); }, modelObstacle_);
}

double TrainStep::learningRateAt(std::int64_t step) const {
    return learningRate(spec_, {step, model_.variant().dims.base().d, options_.lastStep, reductions_});
}

NamedTensors TrainStep::state() const {
    NamedTensors state = optimizer_.state();
    if (average_) state.merge(average_->state());
    return state;
}

void TrainStep::restore(const NamedTensors& state, const std::string& where) { copyInto(this->state(), state, where); }

NamedTensors TrainStep::averagedWeights() const { return average_ ? average_->weights(step_) : NamedTensors{}; }

std::unique_ptr<MovingAverage::Use> TrainStep::useAveragedWeights() const {
    return average_ ? std::make_unique<MovingAverage::Use>(*average_, step_) : nullptr;
}

void TrainStep::run(const StepShare& share) {
    TORCH_CHECK(ring_.size() < StepRing::kCapacity, "the ring is full: drain it");
    ++step_;
    if (copies_) copies_->refresh();  // weights may have been written, for instance by a checkpoint
    StepNumbers numbers = numbersOf(share);
    microGradients_ = {};
    if (watch_) numbers.sampled = GateWatch::sampled(share.microBatches.front().batch);
    const bool mayReplay = captured_ && model_.captureObstacle() == modelObstacle_;
    const bool isWhole = share.microBatches.size() == 1 && !buckets_;
    if (isWhole) numbers.microBatch = share.microBatches.front().number;
    last_ = isWhole ? runPart(share.microBatches.front().batch, numbers, mayReplay)
                    : runInParts(share, std::move(numbers), mayReplay);
    if (watch_) watch_->keep(step_, last_.watched);
    watch_ = nullptr;
    measuresMicroGradients_ = false;
    ring_.count();
}

void TrainStep::forgetTrained() {
    if (buckets_) buckets_->forgetTrained();
}

StepNumbers TrainStep::numbersOf(const StepShare& share) const {
    return {step_, 1 / static_cast<double>(std::max<std::int64_t>(1, share.labels)),
            optimizer_.learningRates(learningRateAt(step_))};
}

StepResult TrainStep::runInParts(const StepShare& share, StepNumbers numbers, bool mayReplay) {
    if (!sum_) sum_ = std::make_unique<GradientSum>(trained_);
    sum_->clear();
    measuresMicroGradients_ = measuresMicroGradients_ && !buckets_ && share.microBatches.size() > 1;
    StepResult result;
    numbers.part = StepPart::MicroBatch;
    for (const auto& [batch, number] : share.microBatches) {
        numbers.microBatch = number;
        numbers.share = static_cast<double>(batch.rows) / static_cast<double>(std::max<std::int64_t>(1, share.rows));
        StepResult micro = runPart(batch, numbers, mayReplay && !measuresMicroGradients_);
        sum_->count(micro.gradients);
        if (measuresMicroGradients_) addMicroGradient(batch.labelCount, share);
        if (numbers.sampled) result.watched = std::move(micro.watched);
        numbers.sampled.reset();  // the first one is watched
    }
    if (buckets_) {
        sum_->setGradients();
        buckets_->sum(sum_->scalars_3(), !share.microBatches.empty());
    }
    if (updated_.empty()) updated_ = sum_->counted();
    numbers.part = StepPart::Update;
    result.update = runPart({}, numbers, mayReplay && (buckets_ || sum_->counted() == updated_)).update;
    optimizer_.releaseGradients();  // a replayed update does not
    return result;
}

StepResult TrainStep::runPart(const Batch& batch, const StepNumbers& numbers, bool mayReplay) {
    if (mayReplay) return captured_->run(batch, numbers);
    StepInput input(shapeOf(batch, numbers), options_.device);
    input.set(batch, numbers);
    return compute(input);
}

/// What is captured. Everything that changes from step to step is read from `input`.
StepResult TrainStep::compute(const StepInput& input) {
    optimizer_.releaseGradients();  // of an aborted capture, or what was summed over processes
    if (input.part() == StepPart::Update) return {updateBySums(input), {}, {}};
    const Sums sums = forwardBackward(input);
    StepResult result;
    if (input.isWatched()) result.watched = watch_->take();
    if (measuresMicroGradients_ && input.part() == StepPart::MicroBatch) microSquare_ = sum_->squareOfGradients();
    if (input.part() == StepPart::MicroBatch)
        result.gradients = sum_->add(at::stack({sums.objective, sums.nll, sums.correct}));
    else
        result.update = update(input, sums);
    return result;
}

/// The update by the sums over micro-batches and processes.
Optimizer::Update TrainStep::updateBySums(const StepInput& input) {
    buckets_ ? buckets_->setGradients() : sum_->setGradients();
    const at::Tensor& scalars_3 = buckets_ ? buckets_->scalars_3() : sum_->scalars_3();
    return update(input, {scalars_3[0], scalars_3[1], scalars_3[2]});
}

/// Adds a micro-batch to the means of microGradients_. microSquare_ is for a loss that was divided by the labels of the whole
/// step; g_i divides by its own labels.
void TrainStep::addMicroGradient(std::int64_t labels, const StepShare& share) {
    const auto own = static_cast<double>(std::max<std::int64_t>(1, labels)), all = static_cast<double>(share.labels);
    const auto count = static_cast<double>(share.microBatches.size());
    const at::Tensor part = microSquare_ * (all / own * (all / own) / count);
    MicroGradients& sum = microGradients_;
    sum.meanSquare = sum.meanSquare.defined() ? sum.meanSquare + part : part;
    sum.meanInverse += 1 / own / count;
    sum.labels = share.labels;
}

Optimizer::Update TrainStep::update(const StepInput& input, const Sums& sums) {
    const StepPhaseScope phase(StepPhase::Update);
    Optimizer::Update update = optimizer_.update(input.learningRates_G(), sums.objective);
    if (average_) average_->add();
    const StepPhaseScope record(StepPhase::Record);
    ring_.write({sums.objective, sums.nll, sums.correct, update.gradientNorm, update.notFinite});
    return update;
}

TrainStep::Sums TrainStep::forwardBackward(const StepInput& input) {
    Forward forward;
    forward.training = true;
    forward.seed = options_.seed;
    forward.stepAt = input.step().const_data_ptr<std::int64_t>();
    forward.countersAt = input.counters().const_data_ptr<std::int64_t>();
    forward.partOfStep = input.share();
    if (input.isWatched()) {
        watch_->begin(input);
        forward.taps = watch_;
    }

    LossOptions options;
    options.smoothing = spec_.labelSmoothing;
    options.zLoss = spec_.zLoss;
    options.scaleAt = input.scale();
    options.gradient = LossOptions::Gradient::OverLogits;
    const DeviceBatch& batch = input.batch();
    at::Tensor headInput_NW, logits;
    {
        const AutocastScope autocast(options_.device, precision_);
        const ReducedScope copies(copies_.get());
        headInput_NW = task_.headInput(model_, batch, forward);
        if (!headInput_NW.defined()) logits = task_.logits(model_, batch, forward);
    }
    LateSums late;
    Sums sums;
    if (headInput_NW.defined()) {
        sums = backwardThroughHead(headInput_NW, batch, options);
    } else {
        const LossSums loss = task_.lossWithGradient(logits, batch, options);
        logits.backward(loss.gradient);
        sums = {loss.objective, loss.nll, loss.correct};
    }
    late.finish();
    return sums;
}

TrainStep::Sums TrainStep::backwardThroughHead(const at::Tensor& headInput_NW, const DeviceBatch& batch,
                                               const LossOptions& options) const {
    const auto logits = [&](const at::Tensor& rows_RW) {
        const AutocastScope autocast(options_.device, precision_);
        const ReducedScope copies(copies_.get());
        return model_.logits(rows_RW);
    };
    const auto lossOf = [&](const at::Tensor& logits_RV, std::int64_t first) {
        return task_.lossWithGradient(logits_RV, withLabels(batch, first, logits_RV.size(0)), options);
    };
    const LossSums loss = backwardInPieces(headInput_NW, rowsAtOnce_, {logits, lossOf});
    return {loss.objective, loss.nll, loss.correct};
}

}  // namespace heddle
