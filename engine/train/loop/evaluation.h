// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/buckets.h"
#include "engine/data/batching/dataset.h"
#include "engine/decode/decoding.h"
#include "engine/tasks/task.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// What was measured on one split.
struct Evaluation {
    double loss = 0;                          ///< of the task, without label smoothing; for cross-entropy in nats an answer
    double accuracy = 0;                      ///< share of the answers that are right; translation: under teacher forcing
    std::int64_t answers = 0;                 ///< that were asked for
    TaskMetrics metrics;                      ///< values, examples and warnings of the task
    std::vector<SentenceLoss> examples = {};  ///< losses of each example; empty: they were not asked for
};

/// How much an evaluation does.
enum class Depth { Scored, Decoded };

/// Evaluates a model as it stands. Shares no state with training: no gradient, no random number, a Forward of its own.
class Evaluator {
public:
    /// `options` also says how large a batch may be. Model and task must outlive it.
    Evaluator(const Model& model, const Task& task, DecodeOptions options);

    /// Lets evaluations keep the loss of every example (Evaluation::examples).
    void keepExamples() { keepsExamples_ = true; }

    /// Nothing when `options.interrupted` said so, between batches or decoded positions. Depth::Decoded also decodes the first
    /// `sentences` examples (0: all) where the task can.
    std::optional<Evaluation> evaluate(const EncodedCorpus& corpus, Depth depth, std::int64_t sentences = 0) const;

    /// Metric "decode_seconds": wall time of decoding `scores.decoded` examples greedily, from their ids to texts, neither
    /// tokenising nor scoring in it. n says how many, the signature how and on what machine.
    EvaluationDone::Value decodingTime(const TaskMetrics& decoded) const;
    /// The same of the first `sentences` examples (0: all), decoded for it; for a task that decodes. Nothing if interrupted.
    std::optional<EvaluationDone::Value> timeDecoding(const EncodedCorpus& corpus, std::int64_t sentences) const;

private:
    std::optional<Evaluation> score(const EncodedCorpus& corpus) const;
    /// The losses of all examples, each evaluated alone: for losses that are no sum over answers.
    std::optional<std::vector<SentenceLoss>> scoreOneByOne(const EncodedCorpus& corpus) const;
    /// Loss of a batch from what its head reads, [N,W].
    LossSums lossOfHead(const at::Tensor& headInput_NW, const DeviceBatch& batch) const;

    const Model& model_;
    const Task& task_;
    DecodeOptions options_;
    std::int64_t rowsAtOnce_;  // of the head
    bool keepsExamples_ = false;
};

}  // namespace heddle
