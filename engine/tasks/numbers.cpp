// SPDX-License-Identifier: Apache-2.0
// One number for a text or a pair of texts (Devlin et al. 2019, section 4.1, STS-B). Loss: mean squared error.
#include "engine/base/error.h"
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/correlation.h"
#include "engine/tasks/task.h"
#include "engine/tasks/task_loss.h"

namespace heddle {
namespace {

class NumberTask final : public Task {
public:
    explicit NumberTask(const RunSpec& spec) {
        if (spec.train.loss != "auto" && spec.train.loss != "mse")
            throwInvalid("task regress has no classes: " + spec.train.loss + " cannot measure it", "train.loss",
                         "use mse or auto");
    }

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeLabelBatch(corpus, indices);
    }

    at::Tensor answers(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
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

    void collect(const Answered& answered, const Batch& batch, Predictions& predictions) const override {
        const at::Tensor host_B = answered.answers.to(at::kCPU, at::kFloat).contiguous();
        for (std::size_t row = 0; row < batch.indices.size(); ++row)
            predictions.numbers[static_cast<std::size_t>(batch.indices[row])] = host_B.const_data_ptr<float>()[row];
    }

    std::optional<std::string> said(const EncodedCorpus&, const Predictions& predictions, std::size_t i) const override {
        return canonicalJson(predictions.numbers[i]);
    }

    TaskScores score(const EncodedCorpus& corpus, const Predictions& predictions, double) const override {
        const std::vector<double> truth(corpus.numbers.begin(), corpus.numbers.end());
        const std::vector<double> predicted(predictions.numbers.begin(), predictions.numbers.end());
        TaskScores scores;
        addValue(scores, pearson(truth, predicted));
        addValue(scores, spearman(truth, predicted));
        addValue(scores, pearsonSpearman(truth, predicted));
        return scores;
    }

private:
    /// Σ over the rows.
    static at::Tensor squared(const at::Tensor& z_B, const DeviceBatch& batch) {
        return squaredError(z_B.to(at::kFloat), batch.numbers_B) * static_cast<double>(z_B.size(0));
    }
};

}  // namespace

std::unique_ptr<Task> makeNumberTask(const RunSpec& spec, const RunData&) { return std::make_unique<NumberTask>(spec); }

}  // namespace heddle
