// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"
#include "engine/device/device.h"
#include "engine/device/device_graph.h"
#include "engine/device/precision.h"
#include "engine/model/model.h"
#include "engine/run/engine.h"
#include "engine/tasks/task.h"
#include "engine/train/report/emitter.h"

#include <functional>
#include <memory>

namespace heddle {

/// Everything an attempt trains with, before the first step.
struct Setup {
    RunData data;
    std::unique_ptr<Task> task;
    at::Device device = at::kCPU;
    Precision precision = Precision::Float32;
    MakeDeviceGraph makeGraph;       ///< of steps, in training and decoding; empty: they are not recorded
    std::int64_t batchMultiple = 1;  ///< what batches are rounded up to (see roundedUp)
    std::unique_ptr<Model> model;    ///< on the device, initialised from the seed
    std::int64_t stepsPerEpoch = 0;
    std::int64_t lastStep = 0;  ///< of the run, as far as epochs and steps decide it; 0: unknown
    Json identity;              ///< what a checkpoint must agree with: seed, hashes, vocabulary sizes
};

/// How training pairs are batched; a function of the run spec alone.
BatchOptions trainingBatches(const RunSpec& spec, const Dims& dims);

/// What rows, widths and answers of a training batch are rounded up to.
std::int64_t batchMultiple(const TrainSpec& train, const MakeDeviceGraph& makeGraph);

/// Builds the model for data that are there.
Setup setUp(const RunSpec& spec, RunData data);

/// Configures the calling thread, loads the data (see loadRunData), saves tokenizers and class names into the run's folder,
/// builds the model, and tells what the loader reports and what the attempt runs with.
Setup prepareTraining(const TrainRequest& request, Emitter& emitter, const std::function<bool()>& stopRequested);

/// See Engine::rehearse().
void rehearseTraining(const RunSpec& spec, const RehearsalFolders& folders);

}  // namespace heddle
