// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/buckets.h"
#include "engine/data/batching/encoded_corpus.h"
#include "engine/decode/decoding.h"
#include "engine/tasks/task.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The result of an evaluation on one split.
struct Evaluation {
    double loss = 0;                          ///< of the task, without label smoothing; cross-entropy: nats per label
    double accuracy = 0;                      ///< share of the labels predicted right; translation: under teacher forcing
    std::int64_t labels = 0;                  ///< number of labels
    TaskMetrics metrics;                      ///< values, samples and warnings of the task
    std::vector<SentenceLoss> examples = {};  ///< losses of each example; empty without keepExamples()
    bool oneByOne = false;                    ///< `examples` were evaluated each alone, since the loss is no sum over labels
};

/// Scored: teacher-forced loss and scores. Decoded: also free-running decoding.
enum class Depth { Scored, Decoded };

/// Evaluates a model. Shares no state with training: no gradient, no random numbers, its own Forward.
class Evaluator {
public:
    /// `options` also limits the batch size. Model and task must outlive it.
    Evaluator(const Model& model, const Task& task, DecodeOptions options);

    /// Makes later evaluations keep the loss of every example (Evaluation::examples).
    void keepExamples() { keepsExamples_ = true; }

    /// Returns nothing if `options.interrupted`, polled between batches and decoded positions, returns true. Depth::Decoded
    /// also decodes the first `sentences` examples (0: all) if the task can decode.
    std::optional<Evaluation> evaluate(const EncodedCorpus& corpus, Depth depth, std::int64_t sentences = 0) const;

    /// The batches of teacher-forced losses, as example numbers.
    std::vector<std::vector<std::int64_t>> batches(const EncodedCorpus& corpus) const;

    /// Metric "decode_seconds": wall time of decoding `scores.decoded` examples, from ids to texts, without
    /// tokenization and scoring. n is their number; the signature names method and machine.
    EvaluationDone::Value decodingTime(const TaskMetrics& decoded) const;
    /// Decodes the first `sentences` examples (0: all) and returns the same metric, for a task that decodes. Nothing if
    /// interrupted.
    std::optional<EvaluationDone::Value> timeDecoding(const EncodedCorpus& corpus, std::int64_t sentences) const;
    /// Likewise, one example after the other and without a cache: metric "decode_seconds_uncached".
    std::optional<EvaluationDone::Value> timeUncachedDecoding(const EncodedCorpus& corpus, std::int64_t sentences) const;

private:
    std::optional<Evaluation> score(const EncodedCorpus& corpus) const;
    /// The losses of all examples, each evaluated alone: for losses that are no sum over labels.
    std::optional<std::vector<SentenceLoss>> scoreOneByOne(const EncodedCorpus& corpus) const;
    /// Loss of a batch from the head's input [N,W].
    LossSums lossOfHead(const at::Tensor& headInput_NW, const DeviceBatch& batch) const;

    const Model& model_;
    const Task& task_;
    DecodeOptions options_;
    std::int64_t rowsAtOnce_;  // of the head
    bool keepsExamples_ = false;
};

}  // namespace heddle
