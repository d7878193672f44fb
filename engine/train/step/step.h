// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"
#include "engine/device/precision.h"
#include "engine/kernels/reduced.h"
#include "engine/model/model.h"
#include "engine/parallel/gradient_buckets.h"
#include "engine/tasks/task.h"
#include "engine/train/step/captured_steps.h"
#include "engine/train/step/gradient_sum.h"
#include "engine/train/step/moving_average.h"
#include "engine/train/step/optimizer.h"
#include "engine/train/step/step_ring.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// What this process computes of a step: each micro-batch with its number in the step.
struct StepShare {
    struct MicroBatch {
        Batch batch;
        std::int64_t number = 0;
    };
    std::vector<MicroBatch> microBatches;
    std::int64_t labels = 0, rows = 0;  ///< of the whole step, whoever computes them

    /// A step of one process.
    static StepShare all(std::vector<Batch> batches);
};

/// Measured over the micro-batches of a step, to estimate the noise of its gradient (NoiseWatch). g_i is the gradient of the
/// mean loss of micro-batch i.
struct MicroGradients {
    at::Tensor meanSquare;    ///< mean of ‖g_i‖², float32 scalar; undefined: not measured
    double meanInverse = 0;   ///< mean over micro-batches of 1 / labels
    std::int64_t labels = 0;  ///< of the step
};

/// One optimizer update on a model: forward, the task's loss, backward, clip, update. Never synchronises; measurements go to
/// the ring. If the device supports capture, steps of known shapes are replayed, except while interventions change the model's
/// passes. Of a step of several micro-batches or processes the micro-batches and the update are replayed, and sums over
/// processes are made between them. One thread.
class TrainStep {
public:
    struct Options {
        std::uint64_t seed = 1;  ///< keys the dropout streams
        at::Device device = at::kCPU;
        std::int64_t lastStep = 0;       ///< of the run, for schedules that end with it; 0: unknown
        MakeDeviceGraph makeGraph = {};  ///< of the device; empty: steps are not captured
        Group* group = nullptr;          ///< the processes that take every step together; null: one
    };
    /// Model, task and group stay the caller's; the model must already be on the device.
    TrainStep(Model& model, const Task& task, const TrainSpec& spec, const Options& options);
    TrainStep(const TrainStep&) = delete;
    TrainStep& operator=(const TrainStep&) = delete;

    /// One step. The loss is the mean over the labels of all micro-batches, the gradient the sum of the micro-batches'
    /// gradients.
    void run(const StepShare& share);
    void run(std::vector<Batch> microBatches) { run(StepShare::all(std::move(microBatches))); }
    void run(const Batch& batch) { run(std::vector<Batch>{batch}); }
    /// The next steps may train other parameters than those before.
    void forgetTrained();
    const Optimizer::Update& lastUpdate() const { return last_.update; }

    /// Makes `gates` watch the first micro-batch of the next step. It must outlive that step.
    void watchNext(GateWatch& gates) { watch_ = &gates; }

    /// Makes the next step measure the gradients of its micro-batches, if one process computes several of them. Its
    /// micro-batches are not replayed.
    void measureMicroGradientsNext() { measuresMicroGradients_ = true; }
    const MicroGradients& microGradients() const { return microGradients_; }  ///< of the last step

    std::int64_t step() const { return step_; }  ///< updates done
    void setStep(std::int64_t step) { step_ = step; }
    /// Learning rate of the update that `step` names (from 1).
    double learningRateAt(std::int64_t step) const;
    /// How often schedule plateau has lowered the rate.
    void setReductions(std::int64_t reductions) { reductions_ = reductions; }
    Optimizer& optimizer() { return optimizer_; }
    /// What the next step depends on besides weights and step(): the optimizer's state and that of the moving average.
    NamedTensors state() const;
    /// All or nothing; throws as copyInto(). With a moving average the checkpoint's weights are the averages; this puts the
    /// trained weights in their place.
    void restore(const NamedTensors& state, const std::string& where);
    /// The weights to evaluate and keep, where train.ema makes them others than those that are trained; by path, else empty.
    NamedTensors averagedWeights() const;
    /// Lets the model have these during the lifetime of what is returned; null: they are those of training.
    std::unique_ptr<MovingAverage::Use> useAveragedWeights() const;
    /// Null: steps are not captured.
    const CapturedSteps* captured() const { return captured_.get(); }
    StepRing& ring() { return ring_; }

private:
    struct Sums {
        at::Tensor objective, nll, correct;
    };
    StepNumbers numbersOf(const StepShare& share) const;
    StepResult runInParts(const StepShare& share, StepNumbers numbers, bool mayReplay);
    StepResult runPart(const Batch& batch, const StepNumbers& numbers, bool mayReplay);
    StepResult compute(const StepInput& input);
    Sums forwardBackward(const StepInput& input);
    Sums backwardThroughHead(const at::Tensor& headInput_NW, const DeviceBatch& batch, const LossOptions& options) const;
    Optimizer::Update update(const StepInput& input, const Sums& sums);
    Optimizer::Update updateBySums(const StepInput& input);
    void addMicroGradient(std::int64_t labels, const StepShare& share);

    Model& model_;
    const Task& task_;
    TrainSpec spec_;
    Options options_;
    Precision precision_;
    std::unique_ptr<ReducedParameters> copies_;  // bfloat16 copies for matrix products; null: float32 products
    Optimizer optimizer_;
    std::unique_ptr<MovingAverage> average_;    // null: train.ema is off
    std::vector<at::Tensor> trained_;           // the parameters that may get gradients
    std::unique_ptr<GradientBuckets> buckets_;  // null: one process
    std::unique_ptr<GradientSum> sum_;          // null: no step had several micro-batches
    std::vector<bool> updated_;                 // GradientSum::counted() of the update that may have been captured
    StepResult last_;
    StepRing ring_;
    std::int64_t rowsAtOnce_;  // of the head
    std::unique_ptr<CapturedSteps> captured_;
    GateWatch* watch_ = nullptr;
    bool measuresMicroGradients_ = false;
    MicroGradients microGradients_;
    at::Tensor microSquare_;     // Σ of the squares of the last micro-batch's gradients; undefined: not measured
    std::string modelObstacle_;  ///< Model::captureObstacle() of the passes that may have been captured
    std::int64_t step_ = 0, reductions_ = 0;
};

}  // namespace heddle
