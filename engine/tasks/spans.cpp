// SPDX-License-Identifier: Apache-2.0
// The words of a context that answer a question: a start and an end (Devlin et al. 2019, sections 4.2 and 4.3). Loss: the mean
// of the two cross-entropies over the positions of the context and position 0, which stands for "no answer"; never smoothed. A
// context that is longer than a row is read in overlapping windows, and the best span over its windows is the answer.
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/batching/row_batches.h"
#include "engine/data/loading/span_kinds.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/squad.h"
#include "engine/tasks/labelling.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr float kNever = -1e30F;

/// How answers are read off the scores.
struct AnswerReading {
    std::int64_t stride = 0, longest = 0;  ///< tokens
    bool mayBeNone = false;                ///< the training examples have questions without an answer
};

class SpanPredictions final : public Predictions {
public:
    SpanPredictions(const EncodedCorpus& corpus, const AnswerReading& reading)
        : corpus_(corpus), reading_(reading), spans_(static_cast<std::size_t>(corpus.size())) {}

    void add(const Outputs& outputs, const Batch& batch) override {
        const at::Tensor host_XS = outputs.logits.to(at::kCPU, at::kFloat).contiguous();
        const float* const first = host_XS.const_data_ptr<float>();
        const std::int64_t width = host_XS.size(1);
        const auto& labels = corpus_.labelsAs<SpanLabels>();
        for (std::size_t row = 0; row < batch.indices.size(); ++row) {
            const auto r = static_cast<std::int64_t>(row);
            const auto i = static_cast<std::size_t>(batch.indices[row]);
            spans_[i] = best(first + r * width, first + (batch.rows + r) * width,
                             {labels.beginFrom[i], labels.beginTo[i], width, reading_.longest});
        }
    }

    std::optional<std::string> text(std::size_t i) const override { return answerOf(i); }

    TaskMetrics metrics(double) const override {
        const auto& answers = corpus_.labelsAs<SpanLabels>().answers;
        std::vector<std::string> predicted;
        for (std::size_t i = 0; i < answers.size(); ++i) predicted.push_back(answerOf(i));
        TaskMetrics metrics;
        const SignatureParts reading{{"stride", reading_.stride > 0 ? std::to_string(reading_.stride) : "cut"},
                                     {"longest", std::to_string(reading_.longest)},
                                     {"none", reading_.mayBeNone ? "allowed" : "never"}};
        for (const MetricValue& value : answerValues(predicted, answers, reading)) addMetric(metrics, value);
        return metrics;
    }

private:
    struct Span {
        std::int64_t first = 0, last = 0;  ///< positions of the row; 0, 0: none is possible
        float score = 0, none = 0;         ///< of the span, and of "no answer": sums of two logits
    };
    struct Limits {
        std::int64_t from, to, width, longest;  ///< where an answer may begin, the row's end, an answer's length
    };

    /// The span with the largest sum among those that may begin in this window.
    static Span best(const float* begins, const float* ends, const Limits& limits) {
        Span chosen{0, 0, kNever, begins[0] + ends[0]};
        for (std::int64_t from = limits.from; from < limits.to; ++from) {
            for (std::int64_t to = from; to < std::min(limits.width, from + limits.longest); ++to) {
                if (begins[from] + ends[to] <= chosen.score) continue;
                chosen.score = begins[from] + ends[to];
                chosen.first = from;
                chosen.last = to;
            }
        }
        return chosen;
    }

    /// The best span over the windows of an example; empty if there may be none, and the lowest score of "no answer" over the
    /// windows is not below that of the span (public code of Devlin et al. 2019 for SQuAD 2.0, threshold 0).
    std::string answerOf(std::size_t example) const {
        const auto& labels = corpus_.labelsAs<SpanLabels>();
        const auto [first, last] =
            std::equal_range(labels.exampleOf.begin(), labels.exampleOf.end(), static_cast<std::int64_t>(example));
        std::size_t row = 0;
        Span chosen{0, 0, kNever, -kNever};
        for (auto window = first; window != last; ++window) {
            const auto i = static_cast<std::size_t>(window - labels.exampleOf.begin());
            const Span& span = spans_[i];
            chosen.none = std::min(chosen.none, span.none);
            if (span.score <= chosen.score) continue;
            row = i;
            chosen.first = span.first, chosen.last = span.last, chosen.score = span.score;
        }
        if (chosen.first == 0 || (reading_.mayBeNone && chosen.none >= chosen.score)) return "";
        const auto at = [&](std::int64_t position) { return static_cast<std::size_t>(corpus_.sourceBegin[row] + position); };
        const std::vector<std::string> characters = splitCodePoints(corpus_.sourceText[example]);
        std::string text;
        for (std::int32_t c = labels.textBegin[at(chosen.first)]; c < labels.textEnd[at(chosen.last)]; ++c)
            text += characters[static_cast<std::size_t>(c)];
        return text;
    }

    const EncodedCorpus& corpus_;
    AnswerReading reading_;
    std::vector<Span> spans_;  ///< the best of a row: of a window of an example
};

class SpanTask final : public Task {
public:
    SpanTask(const RunSpec& spec, const RunData& data)
        : tokenizer_(data.sourceTokenizer),
          reading_{spec.data.stride, tokenizer_ ? longestAnswer(*tokenizer_) : 0, contains(data.classes, kNoAnswerKind)} {}

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeSpanBatch(corpus, indices);
    }

    /// [2·B,S]: scores of the beginnings of the answers, then of their ends; question and padding are excluded.
    at::Tensor logits(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        const at::Tensor logits_BS2 = model.logits(encodeBatch(model, batch, f));
        at::Tensor open_BS = batch.types_BS.ne(0).logical_and(batch.source_BS.ne(kPad)).logical_and(batch.source_BS.ne(kEos));
        open_BS.select(1, 0).fill_(true);
        const at::Tensor logits_XS = logits_BS2.permute({2, 0, 1}).flatten(0, 1);
        return logits_XS.masked_fill(open_BS.repeat({2, 1}).logical_not(), kNever);
    }

    LossSums lossWithGradient(const at::Tensor& logits_XS, const DeviceBatch& batch,
                              const LossOptions& options) const override {
        LossOptions ofBorders = options;
        ofBorders.smoothing = 0;
        ofBorders.gradient = LossOptions::Gradient::Own;
        return crossEntropyWithGradient(logits_XS, batch.labels_N, ofBorders);
    }

    std::string lossSignature(double) const override { return "ce:nats|smoothing:0|per:border"; }
    std::string accuracySignature() const override { return "per:border"; }

    std::unique_ptr<Predictions> predictions(const EncodedCorpus& corpus, PredictionUse) const override {
        return std::make_unique<SpanPredictions>(corpus, reading_);
    }

    std::optional<EncodedCorpus> encode(const std::vector<Unlabelled>& examples, std::int64_t maxLen) const override {
        RowEncoder rows(*tokenizer_, maxLen);
        EncodedCorpus corpus;
        for (const Unlabelled& given : examples) {
            if (given.second.empty())
                throwInvalid("example " + std::to_string(corpus.size() + 1) + " has no context", "text",
                             "separate the question and the context by a tab");
            rows.addQuestion(corpus, exampleOf(given), reading_.stride);
            corpus.sourceText.push_back(given.second);
        }
        return corpus;
    }

private:
    std::shared_ptr<const Tokenizer> tokenizer_;
    AnswerReading reading_;
};

}  // namespace

std::unique_ptr<Task> makeSpanTask(const RunSpec& spec, const RunData& data) { return std::make_unique<SpanTask>(spec, data); }

}  // namespace heddle
