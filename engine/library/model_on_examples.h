// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/encoded_corpus.h"
#include "engine/decode/decoding.h"
#include "engine/model/model.h"
#include "engine/tasks/task.h"

namespace heddle {

/// A model, and the examples that it is measured on. All of it must outlive this.
struct ModelOnExamples {
    const Model& model;
    const Task& task;
    const EncodedCorpus& corpus;
    const DecodeOptions& options;  ///< device, precision, batch size, interruption
};

}  // namespace heddle
