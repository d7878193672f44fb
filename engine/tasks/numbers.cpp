// SPDX-License-Identifier: Apache-2.0
// One number for a text or a pair of texts (Devlin et al. 2019, section 4.1, STS-B). Loss: mean squared error.
#include "engine/base/error.h"
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/correlation.h"
#include "engine/tasks/labelling.h"
#include "engine/tasks/task.h"
#include "engine/tasks/task_loss.h"

namespace heddle {
namespace {

class NumberPredictions final : public Predictions {
public:
    explicit NumberPredictions(const EncodedCorpus& corpus)
        : corpus_(corpus), numbers_(static_cast<std::size_t>(corpus.size())) {}

    void add(const Outputs& outputs, const Batch& batch) override {
        const at::Tensor host_B = outputs.logits.to(at::kCPU, at::kFloat).contiguous();
        for (std::size_t row = 0; row < batch.indices.size(); ++row)
            numbers_[static_cast<std::size_t>(batch.indices[row])] = host_B.const_data_ptr<float>()[row];
    }

    std::optional<std::string> text(std::size_t i) const override { return canonicalJson(numbers_[i]); }

    TaskMetrics metrics(double) const override {
        const auto& given = corpus_.labelsAs<NumberLabels>().numbers;
        const std::vector<double> truth(given.begin(), given.end());
        const std::vector<double> predicted(numbers_.begin(), numbers_.end());
        TaskMetrics metrics;
        addMetric(metrics, pearson(truth, predicted));
        addMetric(metrics, spearman(truth, predicted));
        addMetric(metrics, pearsonSpearman(truth, predicted));
        return metrics;
    }

private:
    const EncodedCorpus& corpus_;
    std::vector<float> numbers_;  ///< of an example
};

class NumberTask final : public Task {
public:
    NumberTask(const RunSpec& spec, const RunData& data) : tokenizer_(data.sourceTokenizer) {
        if (spec.train.loss != LossKind::Auto && spec.train.loss != LossKind::SquaredError)
            throwInvalid("task regress has no classes, so loss " + wordOf(spec.train.loss) + " cannot be used", "train.loss",
                         "use loss mse or auto");
    }

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeNumberBatch(corpus, indices);
    }

    at::Tensor logits(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return pooledLogits(model, encodeBatch(model, batch, f), batch, f).squeeze(-1);
    }

    LossSums lossWithGradient(const at::Tensor& z_B, const DeviceBatch& batch, const LossOptions& options) const override {
        LossSums sums = differentiated(z_B, [&](const at::Tensor& z) { return options.scaled(squared(z, batch)); });
        sums.nll = squared(z_B.detach(), batch);
        sums.correct = at::zeros({}, z_B.options().dtype(at::kFloat));
        return sums;
    }

    LossSums loss(const at::Tensor& z_B, const DeviceBatch& batch) const override {
        LossSums sums;
        sums.nll = squared(z_B, batch);
        sums.correct = at::zeros({}, z_B.options().dtype(at::kFloat));
        return sums;
    }

    std::string lossSignature(double) const override { return "mse|per:example"; }
    std::string accuracySignature() const override { return ""; }

    std::unique_ptr<Predictions> predictions(const EncodedCorpus& corpus, PredictionUse) const override {
        return std::make_unique<NumberPredictions>(corpus);
    }

    std::optional<EncodedCorpus> encode(const std::vector<Unlabelled>& examples, std::int64_t maxLen) const override {
        EncodedCorpus corpus = encodeTexts(*tokenizer_, examples, maxLen);
        corpus.labelsAs<NumberLabels>().numbers.resize(examples.size());
        return corpus;
    }

private:
    /// Σ over the rows.
    static at::Tensor squared(const at::Tensor& z_B, const DeviceBatch& batch) {
        return squaredError(z_B.to(at::kFloat), batch.numbers_B) * static_cast<double>(z_B.size(0));
    }

    std::shared_ptr<const Tokenizer> tokenizer_;
};

}  // namespace

std::unique_ptr<Task> makeNumberTask(const RunSpec& spec, const RunData& data) {
    return std::make_unique<NumberTask>(spec, data);
}

}  // namespace heddle
