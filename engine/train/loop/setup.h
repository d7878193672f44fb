// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/prefetcher.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/device.h"
#include "engine/device/device_graph.h"
#include "engine/device/precision.h"
#include "engine/model/model.h"
#include "engine/parallel/group.h"
#include "engine/run/engine.h"
#include "engine/tasks/task.h"
#include "engine/train/report/emitter.h"

#include <functional>
#include <memory>

namespace heddle {

/// The objects of an attempt before the first step.
struct Setup {
    RunData data;
    std::unique_ptr<Task> task;
    at::Device device = at::kCPU;
    Precision precision = Precision::Float32;
    MakeDeviceGraph makeGraph;       ///< for training and decoding steps; empty: no capture
    std::int64_t batchMultiple = 1;  ///< multiple for rounding batches up (see roundedUp)
    std::unique_ptr<Model> model;    ///< on the device, initialised from the seed
    std::int64_t stepsPerEpoch = 0;
    std::int64_t budgetStep = 0;            ///< see lastStepOfBudget()
    std::int64_t lastStep = 0;              ///< last step of the run by epochs, steps, tokens and FLOPs; 0: unknown
    std::vector<std::string> vectorHashes;  ///< of word vectors, the last of data.dataHashes
    std::shared_ptr<Group> group = std::make_shared<Group>();  ///< the processes that train the run
    std::int64_t threads = 0;                                  ///< of the computing thread
    Json identity;  ///< must equal a checkpoint's identity: seed, hashes, vocabulary sizes
};

/// The batching of training examples, determined by the run spec.
BatchOptions trainingBatches(const RunSpec& spec, const Dims& dims);

/// The multiple to which rows, widths and labels of a training batch are rounded up.
std::int64_t batchMultiple(const TrainSpec& train, const MakeDeviceGraph& makeGraph);

/// Builds the model for loaded data, on that device or on the spec's.
Setup setUp(const RunSpec& spec, RunData data, const at::Device& device);
Setup setUp(const RunSpec& spec, RunData data);

/// The device of a process: where the spec leaves the GPU open, that of its local rank. Throws as chooseDevice() does, and
/// Error(Usage) when several processes would share a GPU.
at::Device deviceOf(const TrainSpec& train, const ProcessPlace& place);

/// Configures the calling thread, loads the data (see loadRunData), saves tokenizers and class names into the run's folder,
/// builds the model, and emits the loader's reports and the description of the attempt. A process that is not rank 0 writes
/// nothing into the run's folder.
Setup prepareTraining(const TrainRequest& request, Emitter& emitter, const std::function<bool()>& stopRequested);

/// See Engine::rehearse().
Rehearsal rehearseTraining(const RunSpec& spec, const RehearsalFolders& folders);

}  // namespace heddle
