// SPDX-License-Identifier: Apache-2.0
// One class for a text, a pair of texts (StarSaber paper, section 4; Devlin et al. 2019, section 4.1) or an image (Dosovitskiy
// et al. 2021). Loss: cross-entropy, or the hinge losses of variants.md S11. One output with a hinge loss tells two classes
// apart: its score is pushed above +1 for the second one and below −1 for the first.
#include "engine/base/error.h"
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/classification.h"
#include "engine/spec/task_kinds.h"
#include "engine/tasks/labelling.h"
#include "engine/tasks/task_loss.h"

namespace heddle {
namespace {

/// How a classifier's outputs are read.
struct ClassOutputs {
    LossKind loss;
    std::vector<std::string> classes;
    bool isBinary;  ///< one output, two classes

    /// Class of every row [B], int64.
    at::Tensor chosen(const at::Tensor& logits_BC) const {
        return isBinary ? logits_BC.squeeze(1).gt(0).to(at::kLong) : logits_BC.argmax(1);
    }
};

class ClassPredictions final : public Predictions {
public:
    ClassPredictions(const EncodedCorpus& corpus, const ClassOutputs& reading, PredictionUse use)
        : corpus_(corpus),
          reading_(reading),
          classes_(static_cast<std::size_t>(corpus.size())),
          probabilities_(classes_.size()),
          hasProbabilities_(use == PredictionUse::Labels && !isHinge(reading.loss)) {}  // a margin is no probability

    void add(const Outputs& outputs, const Batch& batch) override {
        const std::vector<std::int64_t> best =
            likeliestClasses(reading_.isBinary ? Outputs{{}, reading_.chosen(outputs.logits), {}} : outputs);
        for (std::size_t row = 0; row < best.size(); ++row) classes_[static_cast<std::size_t>(batch.indices[row])] = best[row];
        if (!hasProbabilities_) return;
        const at::Tensor host_BC = outputs.logits.to(at::kCPU, at::kDouble).softmax(1).to(at::kFloat).contiguous();
        const float* const first = host_BC.const_data_ptr<float>();
        const std::int64_t count = host_BC.size(1);
        for (std::size_t row = 0; row < batch.indices.size(); ++row) {
            const float* const begin = first + static_cast<std::int64_t>(row) * count;
            probabilities_[static_cast<std::size_t>(batch.indices[row])].assign(begin, begin + count);
        }
    }

    std::optional<std::string> text(std::size_t i) const override {
        return reading_.classes[static_cast<std::size_t>(classes_[i])];
    }
    std::vector<float> probabilities(std::size_t i) const override { return probabilities_[i]; }

    TaskMetrics metrics(double) const override {
        const auto count = static_cast<std::int64_t>(reading_.classes.size());
        const ConfusionMatrix matrix(count, corpus_.labelsAs<ClassLabels>().classes, classes_);
        ClassificationOptions options;
        options.names = reading_.classes;
        if (count == 2) options.positive = 1;
        TaskMetrics metrics;
        for (const MetricValue& value : classificationValues(matrix, options)) addMetric(metrics, value);
        for (const MetricValue& value : classValues(matrix, options)) addMetric(metrics, value);
        return metrics;
    }

private:
    const EncodedCorpus& corpus_;
    const ClassOutputs& reading_;
    std::vector<std::int64_t> classes_;              ///< of an example
    std::vector<std::vector<float>> probabilities_;  ///< of an example's classes
    bool hasProbabilities_;
};

/// Common base of the classification of texts and of images.
class ClassTask : public Task {
public:
    ClassTask(const RunSpec& spec, const RunData& data) : outputs_{spec.train.loss, data.classes, isBinaryHinge(spec)} {
        const std::vector<std::string>& classes = outputs_.classes;
        if (outputs_.loss == LossKind::SquaredError)
            throwInvalid("mean squared error cannot be used with classes", "train.loss", "use ce, hinge or hinge_max");
        if (const auto modelled = classesOfOutputs(spec);
            modelled && !classes.empty() && std::ssize(classes) != *modelled)  // a benchmark has no names
            throwInvalid("the data have " + std::to_string(classes.size()) + " classes, but the model distinguishes " +
                             std::to_string(*modelled) + " with train.loss " + wordOf(outputs_.loss),
                         "variant, dims.classes", "set dims.classes to " + std::to_string(classes.size()));
    }

    at::Tensor logits(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return pooledLogits(model, encodeBatch(model, batch, f), batch, f);
    }

    LossSums lossWithGradient(const at::Tensor& logits_BC, const DeviceBatch& batch,
                              const LossOptions& options) const override {
        if (!isHinge(outputs_.loss)) return Task::lossWithGradient(logits_BC, batch, options);
        LossSums sums =
            differentiated(logits_BC, [&](const at::Tensor& logits) { return options.scaled(hinge(logits, batch)); });
        const LossSums values = loss(logits_BC.detach(), batch);
        sums.nll = values.nll;
        sums.correct = values.correct;
        return sums;
    }

    LossSums loss(const at::Tensor& logits_BC, const DeviceBatch& batch) const override {
        if (!isHinge(outputs_.loss)) return Task::loss(logits_BC, batch);
        LossSums sums;
        sums.nll = hinge(logits_BC.to(at::kFloat), batch);
        sums.correct = outputs_.chosen(logits_BC).eq(batch.labels_N).sum().to(at::kFloat);
        return sums;
    }

    std::string lossSignature(double smoothing) const override {
        if (outputs_.isBinary) return "hinge:binary|per:example";
        if (isHinge(outputs_.loss)) return outputs_.loss == LossKind::Hinge ? "hinge:sum|per:example" : "hinge:max|per:example";
        return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:example";
    }
    std::string accuracySignature() const override { return "per:example"; }

    std::unique_ptr<Predictions> predictions(const EncodedCorpus& corpus, PredictionUse use) const override {
        return std::make_unique<ClassPredictions>(corpus, outputs_, use);
    }

private:
    /// Σ over the rows.
    at::Tensor hinge(const at::Tensor& logits_BC, const DeviceBatch& batch) const {
        const auto rows = static_cast<double>(logits_BC.size(0));
        if (outputs_.isBinary) return binaryHinge(logits_BC.squeeze(1), batch.labels_N * 2 - 1) * rows;
        const auto form = outputs_.loss == LossKind::Hinge ? MultiHinge::Sum : MultiHinge::Max;
        return multiHinge(logits_BC, batch.labels_N, form) * rows;
    }

    ClassOutputs outputs_;
};

class TextClassTask final : public ClassTask {
public:
    TextClassTask(const RunSpec& spec, const RunData& data) : ClassTask(spec, data), tokenizer_(data.sourceTokenizer) {}

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeClassBatch(corpus, indices);
    }

    std::optional<EncodedCorpus> encode(const std::vector<Unlabelled>& examples, std::int64_t maxLen) const override {
        EncodedCorpus corpus = encodeTexts(*tokenizer_, examples, maxLen);
        corpus.labelsAs<ClassLabels>().classes.resize(examples.size());
        return corpus;
    }

private:
    std::shared_ptr<const Tokenizer> tokenizer_;
};

class ImageTask final : public ClassTask {
public:
    ImageTask(const RunSpec& spec, const RunData& data) : ClassTask(spec, data) {
        const PatchForm patches = patchesOf(spec.variant.resolve()).value();  // throwIfNotTrainable() has asked for them
        patch_ = patches.size;
        if (patches.channels != 1)
            throwInvalid("the images have one channel, but the model expects " + std::to_string(patches.channels),
                         "variant, embed.channels", "set it to 1");
    }

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeImageBatch(corpus, indices, patch_);
    }

    /// Images of one size as in training.
    std::optional<EncodedCorpus> encode(const std::vector<Unlabelled>& examples, std::int64_t) const override {
        EncodedCorpus corpus;
        for (const Unlabelled& given : examples) {
            if (corpus.size() == 0) corpus.images = {{}, given.height, given.width};
            const std::int64_t height = corpus.images.height, width = corpus.images.width;
            if (given.height != height || given.width != width || std::ssize(given.pixels) != height * width)
                throwInvalid("the images have different sizes", "images", "run it once for each size");
            addImage(corpus, given.pixels.data(), height / patch_ * (width / patch_), 0);
        }
        return corpus;
    }

private:
    std::int64_t patch_;  ///< edge
};

}  // namespace

std::unique_ptr<Task> makeClassTask(const RunSpec& spec, const RunData& data) {
    return std::make_unique<TextClassTask>(spec, data);
}

std::unique_ptr<Task> makeImageTask(const RunSpec& spec, const RunData& data) {
    return std::make_unique<ImageTask>(spec, data);
}

}  // namespace heddle
