// SPDX-License-Identifier: Apache-2.0
// One class for every word, read at its first piece (Devlin et al. 2019, section 5.3). Spans of BIO tags are scored as whole
// (Tjong Kim Sang and De Meulder 2003).
#include "engine/base/error.h"
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/spans.h"
#include "engine/tasks/labelling.h"

#include <algorithm>

namespace heddle {
namespace {

class TagPredictions final : public Predictions {
public:
    TagPredictions(const EncodedCorpus& corpus, const std::vector<std::string>& classes)
        : corpus_(corpus), classes_(classes), tags_(static_cast<std::size_t>(corpus.size())) {}

    void add(const Outputs& outputs, const Batch& batch) override {
        const std::vector<std::int64_t> best = likeliestClasses(outputs);
        for (std::size_t i = 0; i < best.size(); ++i) {
            const std::int64_t row = batch.positions[i] / batch.sourceWidth;
            tags_[static_cast<std::size_t>(batch.indices[static_cast<std::size_t>(row)])].push_back(best[i]);
        }
    }

    std::optional<std::string> text(std::size_t i) const override {
        std::string text;
        for (const std::string& tag : tagsOf(i)) text += (text.empty() ? "" : " ") + tag;
        return text;
    }

    TaskMetrics metrics(double) const override {
        const bool isBio = std::all_of(classes_.begin(), classes_.end(), [](const std::string& tag) {
            return tag == "O" || tag.starts_with("B") || tag.starts_with("I");
        });
        TaskMetrics metrics;
        if (!isBio) return metrics;
        std::vector<TagSequence> predicted;
        for (std::size_t i = 0; i < published().size(); ++i) predicted.push_back(tagsOf(i));
        for (const MetricValue& value : spanValues(scoreSpans(published(), predicted, SpanScheme::Conlleval)))
            addMetric(metrics, value);
        return metrics;
    }

private:
    /// Words that were cut off count as "O".
    TagSequence tagsOf(std::size_t i) const {
        TagSequence tags;
        for (const std::int64_t tag : tags_[i]) tags.push_back(classes_[static_cast<std::size_t>(tag)]);
        tags.resize(published()[i].size(), "O");
        return tags;
    }
    const std::vector<TagSequence>& published() const { return corpus_.labelsAs<TagLabels>().tags; }

    const EncodedCorpus& corpus_;
    const std::vector<std::string>& classes_;
    std::vector<std::vector<std::int64_t>> tags_;  ///< of an example's words
};

class TagTask final : public Task {
public:
    explicit TagTask(const RunData& data) : tokenizer_(data.sourceTokenizer), classes_(data.classes) {}

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeTagBatch(corpus, indices);
    }

    at::Tensor headInput(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return rowsAtPositions(encodeBatch(model, batch, f), batch);
    }

    std::string lossSignature(double smoothing) const override {
        return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:word";
    }
    std::string accuracySignature() const override { return "per:word"; }

    std::unique_ptr<Predictions> predictions(const EncodedCorpus& corpus, PredictionUse) const override {
        return std::make_unique<TagPredictions>(corpus, classes_);
    }

    std::optional<EncodedCorpus> encode(const std::vector<Unlabelled>& examples, std::int64_t maxLen) const override {
        RowEncoder rows(*tokenizer_, maxLen);
        EncodedCorpus corpus;
        for (const Unlabelled& given : examples) {
            Example example = exampleOf(given);
            example.words = given.words.empty() ? splitWords(given.first, WordSplit::Whitespace) : given.words;
            if (example.words.empty())
                throwInvalid("example " + std::to_string(corpus.size() + 1) + " has no words", "text",
                             "separate the words by spaces");
            rows.addWords(corpus, example, std::vector<std::int64_t>(example.words.size(), 0));
            corpus.labelsAs<TagLabels>().tags.emplace_back(example.words.size());
        }
        return corpus;
    }

private:
    std::shared_ptr<const Tokenizer> tokenizer_;
    std::vector<std::string> classes_;
};

}  // namespace

std::unique_ptr<Task> makeTagTask(const RunSpec&, const RunData& data) { return std::make_unique<TagTask>(data); }

}  // namespace heddle
