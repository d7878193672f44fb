// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/loading/row_encoder.h"
#include "engine/decode/decoding.h"
#include "engine/run/engine.h"
#include "engine/tasks/task.h"

#include <string>
#include <vector>

namespace heddle {

/// A model that gives labels, and its task.
struct Labeller {
    const Model& model;
    const Task& task;
    const RunSpec& spec;
};

/// The labels that the model predicts for the examples, in order; texts that are too long are cut as in training. Throws
/// Error(Usage) for a task that gives no labels. See InferenceSession::classify.
std::vector<Labelled> labelExamples(const Labeller& labeller, const std::vector<Unlabelled>& examples,
                                    const DecodeOptions& options);

/// An example whose label is empty.
Example exampleOf(const Unlabelled& given);

/// Encodes texts or pairs of texts, one row for each, without labels.
EncodedCorpus encodeTexts(const Tokenizer& tokenizer, const std::vector<Unlabelled>& examples, std::int64_t maxLen);

}  // namespace heddle
