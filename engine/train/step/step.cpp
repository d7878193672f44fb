// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step.h"

#include "engine/device/device.h"
#include "engine/device/step_phase.h"
#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"
#include "engine/kernels/late_sums.h"
#include "engine/spec/cost.h"
#include "engine/spec/schedules.h"
#include "engine/tasks/head_pieces.h"

#include <functional>
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

/// During its lifetime the parameters have only the gradient of the current micro-batch; then those of the micro-batches before
/// it are added. A parameter that head and model share (a tied table) gets its gradient in two parts. Without this, the sum
/// over micro-batches would add the parts in an order that depends on how many micro-batches a process computes.
class OwnGradients {
public:
    explicit OwnGradients(const std::vector<at::Tensor>& parameters) : parameters_(parameters) {
        for (const at::Tensor& parameter : parameters_) {
            before_.push_back(parameter.grad());
            parameter.mutable_grad().reset();
        }
    }
    ~OwnGradients() {
        const at::NoGradGuard noGrad;
        for (std::size_t i = 0; i < before_.size(); ++i) {
            const at::Tensor own = parameters_[i].grad();
            if (own.defined() && before_[i].defined()) before_[i].add_(own);
            parameters_[i].mutable_grad() = before_[i].defined() ? before_[i] : own;
        }
    }
    /// Σ of the squares of the current micro-batch's gradients, float32.
    at::Tensor square() const {
        const at::NoGradGuard noGrad;
        std::vector<at::Tensor> own;
        for (const at::Tensor& parameter : parameters_)
            if (parameter.grad().defined()) own.push_back(parameter.grad());
        return at::stack(torch_private::norms(own)).square().sum();
    }
    OwnGradients(const OwnGradients&) = delete;
    OwnGradients& operator=(const OwnGradients&) = delete;

private:
    const std::vector<at::Tensor>& parameters_;
    std::vector<at::Tensor> before_;
};

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
      buckets_(options.group && !options.group->isAlone() ? std::make_unique<GradientBuckets>(*options.group, trainedOf(model))
                                                          : nullptr),
      ring_(options.device),
      rowsAtOnce_(labelsAtOnce(model.variant(), logitsAtOnce(options.device))),
      modelObstacle_(model.captureObstacle()) {
    if (options.makeGraph)
        captured_ = std::make_unique<CapturedSteps>(
            options.makeGraph, options.device, [this](const StepInput& input) { return runStep(input); }, modelObstacle_);
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
    const bool isCapturable =
        captured_ && !buckets_ && share.microBatches.size() == 1 && model_.captureObstacle() == modelObstacle_;
    last_ = isCapturable ? captured_->run(share.microBatches.front().batch, numbers) : runEagerly(share, std::move(numbers));
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

/// The step of one batch: what is captured. Everything that changes from step to step is read from `input`.
StepResult TrainStep::runStep(const StepInput& input) {
    optimizer_.releaseGradients();  // of an aborted capture
    const Sums sums = forwardBackward(input, {});
    WatchedStep watched = input.isWatched() ? watch_->take() : WatchedStep{};
    return {update(input, sums), std::move(watched)};
}

StepResult TrainStep::runEagerly(const StepShare& share, StepNumbers numbers) {
    std::unique_ptr<StepInput> input;
    StepResult result;
    Sums sums;
    std::vector<at::Tensor> headParameters;  // found by the first of several micro-batches, where gradients are not all apart
    const std::function<void()> findHeadParameters = [&] {
        for (const auto& [path, parameter] : model_.parameters().entries())
            if (parameter.grad().defined()) headParameters.push_back(parameter);
    };
    const bool areSeveral = share.microBatches.size() > 1, isMeasured = measuresMicroGradients_ && !buckets_ && areSeveral;
    // On CUDA several uses of a parameter are added to grad() one by one (late_sums.h, embedding.h). With gradients of its own
    // a micro-batch has the sum that another process would have.
    const bool areApart = isMeasured || (areSeveral && options_.device.is_cuda());
    const std::vector<at::Tensor> trained = areApart ? trainedOf(model_) : std::vector<at::Tensor>{};
    for (std::size_t i = 0; i < share.microBatches.size(); ++i) {
        const auto& [batch, number] = share.microBatches[i];
        input = std::make_unique<StepInput>(shapeOf(batch, numbers), options_.device);
        input->set(batch, numbers);
        const double part = static_cast<double>(batch.rows) / static_cast<double>(std::max<std::int64_t>(1, share.rows));
        const OwnGradients own(areApart ? trained : headParameters);
        const bool findsHead = i == 0 && areSeveral && !areApart;
        const Sums micro = forwardBackward(*input, {number, part, findsHead ? findHeadParameters : nullptr});
        sums = i == 0 ? micro : Sums{sums.objective + micro.objective, sums.nll + micro.nll, sums.correct + micro.correct};
        if (isMeasured) addMicroGradient(own.square(), batch.labelCount, share);
        if (input->isWatched()) result.watched = watch_->take();
        numbers.sampled.reset();
    }
    if (share.microBatches.empty()) {  // at the end of an epoch
        const Batch none;
        input = std::make_unique<StepInput>(shapeOf(none, numbers), options_.device);
        input->set(none, numbers);
        const at::Tensor zero = at::zeros({}, at::TensorOptions(at::kFloat).device(options_.device));
        sums = {zero, zero, zero};
    }
    if (buckets_) {
        const auto total = buckets_->sum({sums.objective, sums.nll, sums.correct}, !share.microBatches.empty());
        sums = {total[0], total[1], total[2]};
    }
    result.update = update(*input, sums);
    return result;
}

/// Adds a micro-batch to the means of microGradients_. `square` is the squared norm of its gradient for a loss that was divided
/// by the labels of the whole step; g_i divides by its own labels.
void TrainStep::addMicroGradient(const at::Tensor& square, std::int64_t labels, const StepShare& share) {
    const auto own = static_cast<double>(std::max<std::int64_t>(1, labels)), all = static_cast<double>(share.labels);
    const auto count = static_cast<double>(share.microBatches.size());
    const at::Tensor part = square * (all / own * (all / own) / count);
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

TrainStep::Sums TrainStep::forwardBackward(const StepInput& input, const MicroStep& micro) {
    Forward forward;
    forward.training = true;
    forward.seed = options_.seed;
    forward.stepAt = input.step().const_data_ptr<std::int64_t>();
    forward.microStep = static_cast<std::uint32_t>(micro.number);
    forward.partOfStep = micro.part;
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
        sums = backwardThroughHead(headInput_NW, batch, options, micro.headIsDone);
    } else {
        const LossSums loss = task_.lossWithGradient(logits, batch, options);
        logits.backward(loss.gradient);
        sums = {loss.objective, loss.nll, loss.correct};
    }
    late.finish();
    return sums;
}

TrainStep::Sums TrainStep::backwardThroughHead(const at::Tensor& headInput_NW, const DeviceBatch& batch,
                                               const LossOptions& options, const std::function<void()>& headIsDone) const {
    const auto logits = [&](const at::Tensor& rows_RW) {
        const AutocastScope autocast(options_.device, precision_);
        const ReducedScope copies(copies_.get());
        return model_.logits(rows_RW);
    };
    const auto lossOf = [&](const at::Tensor& logits_RV, std::int64_t first) {
        return task_.lossWithGradient(logits_RV, withLabels(batch, first, logits_RV.size(0)), options);
    };
    const LossSums loss = backwardInPieces(headInput_NW, rowsAtOnce_, {logits, lossOf, headIsDone});
    return {loss.objective, loss.nll, loss.correct};
}

}  // namespace heddle
