// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"
#include "engine/data/loading/run_data.h"
#include "engine/decode/decoding.h"
#include "engine/metrics/bleu.h"
#include "engine/metrics/metric.h"
#include "engine/model/device_batch.h"
#include "engine/model/model.h"
#include "engine/run/engine.h"
#include "engine/run/events.h"
#include "engine/tasks/loss.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// What a task adds to loss and accuracy.
struct TaskMetrics {
    std::vector<EvaluationDone::Value> values;
    std::vector<SampleText> samples;
    std::vector<std::string> warnings;          ///< to be shown beside the numbers
    std::vector<BleuStatistics> bleuSentences;  ///< of metric "bleu", of each example
    std::string bleuSmooth;
    std::int64_t decoded = 0;    ///< examples that decode() decoded
    double decodingSeconds = 0;  ///< wall time of that, from their ids to texts; scoring is not in it
};

struct SplitToDecode {
    const EncodedCorpus& corpus;
    std::int64_t sentences = 0;  ///< the first so many; 0: all
    const DecodeOptions& options;
};

/// A model's outputs for a batch.
struct Outputs {
    at::Tensor logits;  ///< of Task::logits(); undefined where the logits of headInput() were made in pieces
    at::Tensor best_N;  ///< LossSums::best_N; undefined where the loss has none, or there are no labels
    at::Tensor nll_N;   ///< LossSums::nll_N, likewise
};

/// What a model predicts for the examples of a corpus; each task has its own. Corpus and task outlive it.
class Predictions {
public:
    virtual ~Predictions() = default;
    /// Adds the predictions for a batch's examples.
    virtual void add(const Outputs& /*outputs*/, const Batch& /*batch*/) {}
    /// The prediction for example `i`, for people; nothing where a task has no such thing.
    virtual std::optional<std::string> text(std::size_t /*i*/) const { return std::nullopt; }
    /// Probabilities of the classes of example `i`, sum 1; empty: the task or its loss has none, or they were not kept.
    virtual std::vector<float> probabilities(std::size_t /*i*/) const { return {}; }
    /// Metrics of the whole corpus beyond loss and accuracy; `loss` is the mean.
    virtual TaskMetrics metrics(double /*loss*/) const { return {}; }
};

/// The purpose of predictions: metrics, or labels for a user, with probabilities.
enum class PredictionUse { Metrics, Labels };

/// The task of a run (data.task): how examples become batches, which outputs count, the loss and the metrics. Each task has a
/// file that defines makeNameTask(), and a line in tasks.cpp. Immutable; makeBatch() is called on the prefetcher's thread too.
class Task {
public:
    virtual ~Task() = default;

    /// A pure function; `epoch` keys what training draws anew in every epoch.
    virtual Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices,
                            std::int64_t epoch) const = 0;
    /// The same for an evaluation: it depends on the data alone, so that runs of all seeds are scored on equal batches.
    virtual Batch makeEvaluationBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) const {
        return makeBatch(corpus, indices, 0);
    }

    /// The head's input, where every label has a row of its own and its loss is cross-entropy: [N,W]. Undefined: the logits
    /// can only be made all at once.
    virtual at::Tensor headInput(const Model& /*model*/, const DeviceBatch& /*batch*/, const Forward& /*f*/) const {
        return {};
    }
    /// One row of logits a label, or one number. Default: the head's logits of headInput().
    virtual at::Tensor logits(const Model& model, const DeviceBatch& batch, const Forward& f) const;

    /// Loss of the logits with its gradient; `objective` is scaled by options.scale. Cross-entropy unless overridden.
    virtual LossSums lossWithGradient(const at::Tensor& logits, const DeviceBatch& batch, const LossOptions& options) const;
    /// Sums alone, for evaluation.
    virtual LossSums loss(const at::Tensor& logits, const DeviceBatch& batch) const;

    virtual std::string lossSignature(double smoothing) const;
    /// Of the accuracy that training counts; empty: the task has none.
    virtual std::string accuracySignature() const;
    /// What an evaluation adds to both signatures: "|masks:of-data" where its batches were drawn.
    virtual std::string drawSignature() const { return ""; }

    /// What all signatures of values on given answers have at their end: "|answer:visible" where the model sees the answer
    /// (visibleAnswerWarning()), else "".
    const std::string& caveat() const { return caveat_; }

    /// Room for the predictions for a corpus. Default: nothing is kept of them.
    virtual std::unique_ptr<Predictions> predictions(const EncodedCorpus& corpus, PredictionUse use) const;
    /// Examples without labels as rows of at most `maxLen` tokens, as in training; nothing: the task gives no labels. Throws
    /// Error(InvalidInput) for an example that the model cannot read.
    virtual std::optional<EncodedCorpus> encode(const std::vector<Unlabelled>& /*examples*/, std::int64_t /*maxLen*/) const {
        return std::nullopt;
    }

    /// Whether an evaluation can decode, which takes longer and is therefore made less often.
    virtual bool decodes() const { return false; }
    /// Nothing if interrupted.
    virtual std::optional<TaskMetrics> decode(const Model& /*model*/, const SplitToDecode& /*request*/) const {
        return TaskMetrics{};
    }

    /// The answer to a question that a user puts to a run in training; nothing: such runs take none. Throws
    /// Error(InvalidInput) for a question of another form.
    virtual std::optional<Json> answer(const Model& /*model*/, const Json& /*question*/, const DecodeOptions& /*how*/) const {
        return std::nullopt;
    }

private:
    friend std::unique_ptr<Task> makeTask(const RunSpec& spec, const RunData& data);
    std::string caveat_;
};

/// The task of a run; keeps the tokenizers of `data`, no reference to the arguments.
std::unique_ptr<Task> makeTask(const RunSpec& spec, const RunData& data);

inline constexpr std::size_t kSamples = 5;  ///< examples shown with what the model made of them

/// Encoder output of the batch, [B,S,W]; token types and patches go in where the batch has them.
at::Tensor encodeBatch(const Model& model, const DeviceBatch& batch, const Forward& f);
/// The rows of hidden_BSW at the batch's positions, [N,W].
at::Tensor rowsAtPositions(const at::Tensor& hidden_BSW, const DeviceBatch& batch);
/// The same rows for the model's head. Takes them from the bfloat16 copy of hidden_BSW (engine/kernels/reduced.h) if there is
/// one, the head reads all rows, and Head::readsReduced().
at::Tensor headRows(const Model& model, const at::Tensor& hidden_BSW, const DeviceBatch& batch);
/// Logits [B,C] of one vector a row.
at::Tensor pooledLogits(const Model& model, const at::Tensor& hidden_BSW, const DeviceBatch& batch, const Forward& f);

/// Adds a metric and its warning. An undefined value is left out; the reason is kept as a warning.
void addMetric(TaskMetrics& metrics, const MetricValue& value);

/// Loss of the logits with its gradient by automatic differentiation: `scaled` is the scaled objective of float32 logits.
LossSums differentiated(const at::Tensor& logits, const std::function<at::Tensor(const at::Tensor&)>& scaled);

/// The likeliest class of every row, on the host.
std::vector<std::int64_t> likeliestClasses(const Outputs& outputs);

}  // namespace heddle
