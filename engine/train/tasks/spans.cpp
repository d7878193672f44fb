// SPDX-License-Identifier: Apache-2.0
// The words of a context that answer a question: a start and an end (Devlin et al. 2019, sections 4.2 and 4.3). Loss: the mean
// of the two cross-entropies over the positions of the context and position 0, which stands for "no answer"; never smoothed.
#include "engine/data/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/squad.h"
#include "engine/metrics/unicode.h"
#include "engine/train/tasks/task.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr float kNever = -1e30F;
constexpr std::int64_t kLongestAnswer = 30;  ///< tokens, as the public code of BERT has it

class SpanTask final : public Task {
public:
    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeSpanBatch(corpus, indices);
    }

    /// [2·B,S]: where the answers begin, then where they end; out of question are the question itself and padding.
    at::Tensor answers(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
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
        return crossEntropyWithGradient(logits_XS, batch.targets_N, ofBorders);
    }

    std::string lossSignature(double) const override { return "ce:nats|smoothing:0|per:border"; }
    std::string accuracySignature() const override { return "per:border"; }

    void collect(const Answered& answered, const Batch& batch, Predictions& predictions) const override {
        const at::Tensor host_XS = answered.answers.to(at::kCPU, at::kFloat).contiguous();
        const float* const first = host_XS.const_data_ptr<float>();
        const std::int64_t width = host_XS.size(1);
        for (std::int64_t row = 0; row < batch.rows; ++row)
            predictions.spans[static_cast<std::size_t>(batch.indices[static_cast<std::size_t>(row)])] =
                best(first + row * width, first + (batch.rows + row) * width, width);
    }

    std::optional<std::string> said(const EncodedCorpus& corpus, const Predictions& predictions, std::size_t i) const override {
        return textOf(corpus, i, predictions.spans[i]);
    }

    TaskScores score(const EncodedCorpus& corpus, const Predictions& predictions, double) const override {
        std::vector<std::string> predicted;
        for (std::size_t i = 0; i < corpus.answers.size(); ++i) predicted.push_back(textOf(corpus, i, predictions.spans[i]));
        TaskScores scores;
        for (const MetricValue& value : answerValues(predicted, corpus.answers)) addValue(scores, value);
        return scores;
    }

private:
    /// The span with the largest sum, or position 0 twice where that is larger.
    static std::pair<std::int64_t, std::int64_t> best(const float* begins, const float* ends, std::int64_t width) {
        std::pair<std::int64_t, std::int64_t> chosen{0, 0};
        float most = begins[0] + ends[0];
        for (std::int64_t from = 1; from < width; ++from) {
            if (begins[from] <= kNever / 2) continue;
            for (std::int64_t to = from; to < std::min(width, from + kLongestAnswer); ++to) {
                if (begins[from] + ends[to] <= most) continue;
                most = begins[from] + ends[to];
                chosen = {from, to};
            }
        }
        return chosen;
    }

    static std::string textOf(const EncodedCorpus& corpus, std::size_t i, std::pair<std::int64_t, std::int64_t> span) {
        if (span.first == 0) return "";
        const auto at = [&](std::int64_t position) { return static_cast<std::size_t>(corpus.sourceBegin[i] + position); };
        const std::vector<std::string> characters = splitCodePoints(corpus.sourceText[i]);
        std::string text;
        for (std::int32_t c = corpus.textBegin[at(span.first)]; c < corpus.textEnd[at(span.second)]; ++c)
            text += characters[static_cast<std::size_t>(c)];
        return text;
    }
};

}  // namespace

std::unique_ptr<Task> makeSpanTask(const RunSpec&, const RunData&) { return std::make_unique<SpanTask>(); }

}  // namespace heddle
