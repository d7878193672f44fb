// SPDX-License-Identifier: Apache-2.0
// One class for a text, a pair of texts (StarSaber paper, section 4; Devlin et al. 2019, section 4.1) or an image (Dosovitskiy
// et al. 2021). Loss: cross-entropy, or the hinge losses of variants.md S11. One output with a hinge loss tells two classes
// apart: its score is pushed above +1 for the second one and below −1 for the first.
#include "engine/base/error.h"
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/classification.h"
#include "engine/spec/task_kinds.h"
#include "engine/tasks/task.h"
#include "engine/tasks/task_loss.h"

namespace heddle {
namespace {

class ClassTask final : public Task {
public:
    ClassTask(const RunSpec& spec, const RunData& data)
        : loss_(spec.train.loss), classes_(data.classes), isBinary_(isBinaryHinge(spec)) {
        if (loss_ == "mse")
            throwInvalid("a class is no number: mse cannot measure it", "train.loss", "use ce, hinge or hinge_max");
        if (const auto told = classesOfOutputs(spec);
            told && !classes_.empty() && std::ssize(classes_) != *told)  // a benchmark has no names
            throwInvalid("the data have " + std::to_string(classes_.size()) + " classes, the model tells " +
                             std::to_string(*told) + " apart with train.loss " + loss_,
                         "variant, dims.classes", "set dims.classes to " + std::to_string(classes_.size()));
        const ResolvedVariant variant = spec.variant.resolve();
        const BlockChoice& embed = variant.globals.at("embed");
        if (spec.data.task == "image") patch_ = embed.params.at("size").get<std::int64_t>();
        if (patch_ > 0 && embed.params.at("channels").get<std::int64_t>() != 1)
            throwInvalid("the images have one channel, the model wants " + embed.params.at("channels").dump(),
                         "variant, embed.channels", "set it to 1");
    }

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return patch_ > 0 ? makeImageBatch(corpus, indices, patch_) : makeLabelBatch(corpus, indices);
    }

    at::Tensor answers(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return pooledLogits(model, encodeBatch(model, batch, f), batch, f);
    }

    LossSums lossWithGradient(const at::Tensor& logits_BC, const DeviceBatch& batch,
                              const LossOptions& options) const override {
        if (!isHinge()) return Task::lossWithGradient(logits_BC, batch, options);
        LossSums sums =
            differentiated(logits_BC, [&](const at::Tensor& logits) { return options.scaled(hinge(logits, batch)); });
        const LossSums values = loss(logits_BC.detach(), batch);
        sums.nll = values.nll;
        sums.correct = values.correct;
        return sums;
    }

    LossSums loss(const at::Tensor& logits_BC, const DeviceBatch& batch) const override {
        if (!isHinge()) return Task::loss(logits_BC, batch);
        LossSums sums;
        sums.nll = hinge(logits_BC.to(at::kFloat), batch);
        sums.correct = chosen(logits_BC).eq(batch.targets_N).sum().to(at::kFloat);
        return sums;
    }

    std::string lossSignature(double smoothing) const override {
        if (isBinary_) return "hinge:binary|per:example";
        if (isHinge()) return loss_ == "hinge" ? "hinge:sum|per:example" : "hinge:max|per:example";
        return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:example";
    }
    std::string accuracySignature() const override { return "per:example"; }

    void collect(const Answered& answered, const Batch& batch, Predictions& predictions) const override {
        const std::vector<std::int64_t> best =
            likeliestClasses(isBinary_ ? Answered{{}, chosen(answered.answers), {}} : answered);
        for (std::size_t row = 0; row < best.size(); ++row)
            predictions.classes[static_cast<std::size_t>(batch.indices[row])] = best[row];
        if (predictions.probabilities.empty() || isHinge()) return;  // a margin is no probability
        const at::Tensor host_BC = answered.answers.to(at::kCPU, at::kDouble).softmax(1).to(at::kFloat).contiguous();
        const float* const first = host_BC.const_data_ptr<float>();
        const std::int64_t count = host_BC.size(1);
        for (std::size_t row = 0; row < batch.indices.size(); ++row) {
            const float* const begin = first + static_cast<std::int64_t>(row) * count;
            predictions.probabilities[static_cast<std::size_t>(batch.indices[row])].assign(begin, begin + count);
        }
    }

    std::optional<std::string> said(const EncodedCorpus&, const Predictions& predictions, std::size_t i) const override {
        return classes_[static_cast<std::size_t>(predictions.classes[i])];
    }

    TaskScores score(const EncodedCorpus& corpus, const Predictions& predictions, double) const override {
        const auto count = static_cast<std::int64_t>(classes_.size());
        const ConfusionMatrix matrix(count, corpus.labels, predictions.classes);
        ClassificationOptions options;
        options.names = classes_;
        if (count == 2) options.positive = 1;
        TaskScores scores;
        for (const MetricValue& value : classificationValues(matrix, options)) addValue(scores, value);
        for (const MetricValue& value : classValues(matrix, options)) addValue(scores, value);
        if (std::string warning = onePredictionWarning(matrix, options); !warning.empty())
            scores.warnings.push_back(std::move(warning));
        return scores;
    }

private:
    bool isHinge() const { return loss_ == "hinge" || loss_ == "hinge_max"; }

    /// Σ over the rows.
    at::Tensor hinge(const at::Tensor& logits_BC, const DeviceBatch& batch) const {
        const auto rows = static_cast<double>(logits_BC.size(0));
        if (isBinary_) return binaryHinge(logits_BC.squeeze(1), batch.targets_N * 2 - 1) * rows;
        const auto form = loss_ == "hinge" ? MultiHinge::Sum : MultiHinge::Max;
        return multiHinge(logits_BC, batch.targets_N, form) * rows;
    }

    /// Class of every row [B], int64.
    at::Tensor chosen(const at::Tensor& logits_BC) const {
        return isBinary_ ? logits_BC.squeeze(1).gt(0).to(at::kLong) : logits_BC.argmax(1);
    }

    std::string loss_;
    std::vector<std::string> classes_;
    bool isBinary_;           ///< one output, two classes
    std::int64_t patch_ = 0;  ///< edge of a patch; 0: words
};

}  // namespace

std::unique_ptr<Task> makeClassTask(const RunSpec& spec, const RunData& data) {
    return std::make_unique<ClassTask>(spec, data);
}

}  // namespace heddle
