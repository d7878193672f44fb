// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/device/precision.h"
#include "engine/model/model.h"
#include "engine/spec/run_spec.h"
#include "engine/tasks/task.h"

#include <c10/core/Device.h>

#include <memory>
#include <string>

namespace heddle {

/// The model of a checkpoint with the data, task, device and precision of its inference.
struct OpenedModel {
    RunSpec spec;
    RunData data;  ///< the run's saved vocabularies and classes; no examples
    std::unique_ptr<Model> model;
    std::unique_ptr<Task> task;
    at::Device device;
    Precision precision;
};

/// Builds the variant with the vocabulary sizes of the run's saved tokenizers, loads the verified weights and configures the
/// calling thread. `runFolder` holds the vocabularies. Throws Error(InvalidInput) for a checkpoint that cannot be read.
OpenedModel openModel(const RunSpec& spec, const std::string& runFolder, const std::string& checkpointFolder,
                      const std::string& device);

}  // namespace heddle
