// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/buckets.h"
#include "engine/data/batching/dataset.h"
#include "engine/decode/decoding.h"
#include "engine/metrics/metric.h"
#include "engine/model/device_batch.h"
#include "engine/model/model.h"
#include "engine/run/events.h"
#include "engine/tasks/loss.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// What was predicted for the examples of a split, by their numbers in the corpus. A task fills what it scores.
struct Predictions {
    std::vector<std::int64_t> classes;              ///< of an example
    std::vector<std::vector<float>> probabilities;  ///< of an example's classes; empty: nobody asks for them
    std::vector<float> numbers;                     ///< of an example
    std::vector<std::vector<std::int64_t>> words;   ///< of an example: a tag a word; translation: likeliest words
    struct Span {
        std::int64_t first = 0, last = 0;  ///< positions of the row; 0, 0: none is possible
        float score = 0, none = 0;         ///< of the span, and of "no answer": sums of two logits
    };
    std::vector<Span> spans;           ///< the best of a row: of a window of an example
    std::vector<SentenceLoss> losses;  ///< of an example
};

/// What a task adds to loss and accuracy.
struct TaskScores {
    std::vector<EvaluationDone::Value> values;
    std::vector<SampleText> samples;
    std::vector<std::string> warnings;  ///< what has to be read beside the numbers
    std::int64_t decoded = 0;           ///< examples that decode() decoded
    double decodingSeconds = 0;         ///< wall time of that, from their ids to texts; scoring is not in it
};

struct SplitToDecode {
    const EncodedCorpus& corpus;
    std::int64_t sentences = 0;  ///< the first so many; 0: all
    const DecodeOptions& options;
};

/// What a model said to a batch.
struct Answered {
    at::Tensor answers;  ///< undefined where the task's rows are asked() for, and were answered in pieces
    at::Tensor best_N;   ///< LossSums::best_N; undefined where the loss has none, or there are no labels
    at::Tensor nll_N;    ///< LossSums::nll_N, likewise
};

/// What a run's data.task asks of its model: how examples become batches, which of the model's outputs count, and what is
/// measured. One file a task, one line in tasks.cpp. Immutable; makeBatch() is called on the prefetcher's thread too.
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

    /// What the head reads, where every answer is made from a row of its own and its loss is cross-entropy: [N,W]. Undefined:
    /// answers() must be asked for as a whole.
    virtual at::Tensor asked(const Model& /*model*/, const DeviceBatch& /*batch*/, const Forward& /*f*/) const { return {}; }
    /// What the model says to what the batch asks: one row of logits an answer, or one number. Default: the head's logits of
    /// what is asked.
    virtual at::Tensor answers(const Model& model, const DeviceBatch& batch, const Forward& f) const;

    /// Loss of the answers with its gradient; `objective` is scaled by options.scale. Cross-entropy unless overridden.
    virtual LossSums lossWithGradient(const at::Tensor& answers, const DeviceBatch& batch, const LossOptions& options) const;
    /// Sums alone, for evaluation.
    virtual LossSums loss(const at::Tensor& answers, const DeviceBatch& batch) const;

    virtual std::string lossSignature(double smoothing) const;
    /// Of the accuracy that training counts; empty: the task has none.
    virtual std::string accuracySignature() const;
    /// What an evaluation adds to both signatures: "|masks:of-data" where its batches were drawn.
    virtual std::string drawSignature() const { return ""; }

    /// Remembers what was predicted for a batch's examples.
    virtual void collect(const Answered& /*answered*/, const Batch& /*batch*/, Predictions& /*predictions*/) const {}
    /// What was predicted for example `i`, for people; nothing where a task has no such thing.
    virtual std::optional<std::string> said(const EncodedCorpus& /*corpus*/, const Predictions& /*predictions*/,
                                            std::size_t /*i*/) const {
        return std::nullopt;
    }
    /// Metrics of the whole split beyond loss and accuracy.
    virtual TaskScores score(const EncodedCorpus& /*corpus*/, const Predictions& /*predictions*/, double /*loss*/) const {
        return {};
    }

    /// Whether an evaluation can decode, which takes longer and is therefore made less often.
    virtual bool decodes() const { return false; }
    /// Nothing if interrupted.
    virtual std::optional<TaskScores> decode(const Model& /*model*/, const SplitToDecode& /*request*/) const {
        return TaskScores{};
    }
};

/// The task of a run; keeps nothing of its arguments.
std::unique_ptr<Task> makeTask(const RunSpec& spec, const RunData& data);

inline constexpr std::size_t kSamples = 5;  ///< examples shown with what the model made of them

/// Room for what a task predicts for every example.
Predictions roomFor(const EncodedCorpus& corpus);

/// Encoder output of the batch, [B,S,W]; token types and patches go in where the batch has them.
at::Tensor encodeBatch(const Model& model, const DeviceBatch& batch, const Forward& f);
/// The asked positions of hidden_BSW, [N,W].
at::Tensor rowsAtPositions(const at::Tensor& hidden_BSW, const DeviceBatch& batch);
/// Logits [B,C] of one vector a row.
at::Tensor pooledLogits(const Model& model, const at::Tensor& hidden_BSW, const DeviceBatch& batch, const Forward& f);

/// Takes a metric and its warning over; a value that is not defined is left out, its reason stays.
void addValue(TaskScores& scores, const MetricValue& value);

/// Loss of the answers with its gradient by automatic differentiation: `scaled` is the scaled objective of float32 answers.
LossSums differentiated(const at::Tensor& answers, const std::function<at::Tensor(const at::Tensor&)>& scaled);

/// The likeliest class of every row, on the host.
std::vector<std::int64_t> likeliestClasses(const Answered& answered);

// The tasks, one file each; tasks.cpp lists them.
std::unique_ptr<Task> makeTranslationTask(const RunSpec& spec, const RunData& data);
std::unique_ptr<Task> makeMaskedLanguageTask(const RunSpec& spec, const RunData& data);  ///< mlm, denoise
std::unique_ptr<Task> makeCausalLanguageTask(const RunSpec& spec, const RunData& data);
std::unique_ptr<Task> makeClassTask(const RunSpec& spec, const RunData& data);  ///< classify, image
std::unique_ptr<Task> makeNumberTask(const RunSpec& spec, const RunData& data);
std::unique_ptr<Task> makeTagTask(const RunSpec& spec, const RunData& data);
std::unique_ptr<Task> makeSpanTask(const RunSpec& spec, const RunData& data);

}  // namespace heddle
