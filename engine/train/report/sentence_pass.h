// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/precision.h"
#include "engine/model/model.h"
#include "engine/run/events.h"
#include "engine/spec/variant_spec.h"
#include "engine/tasks/task.h"

#include <string>
#include <vector>

namespace heddle {

/// One example as a batch of one row, which needs no padding, and the names of its positions.
struct SentenceInput {
    Batch batch;
    std::vector<std::string> sourceTokens, targetTokens;  ///< input tokens: words <eos>; <sos> words; names of patches
};

/// Example `index` of the corpus, as an evaluation reads it. `data` has the corpus's tokenizers.
SentenceInput sentenceOf(const RunData& data, const EncodedCorpus& corpus, const Task& task, std::int64_t index);

/// The tokens of these ids.
std::vector<std::string> tokensOf(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids);

/// A forward pass over a sentence.
struct SentencePass {
    struct Shown {
        const ModuleExposure* exposure;
        at::Tensor value;  ///< without gradient, on the model's device
    };
    std::vector<Shown> shown;  ///< in the order of the pass
    at::Tensor logits;         ///< Task::logits()
};

/// Runs the model on the sentence in evaluation mode (teacher forcing) and records these exposures, which must outlive the
/// result. Shares no state with training: no gradient, no random numbers.
SentencePass passSentence(const Model& model, const Task& task, const SentenceInput& sentence,
                          const std::vector<ModuleExposure>& wanted, const ComputePlace& place);

/// The names of the `count` positions of the sublayer's queries.
std::vector<std::string> queryTokens(const SentenceInput& sentence, const std::string& sublayer, std::int64_t count);

/// An exposure over [B,H,Q,K] as a map of probe `probe`.
MapTaken mapOf(const SentencePass::Shown& shown, const SentenceInput& sentence, std::int64_t probe);

}  // namespace heddle
