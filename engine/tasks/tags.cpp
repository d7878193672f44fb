// SPDX-License-Identifier: Apache-2.0
// One class for every word, read at its first piece (Devlin et al. 2019, section 5.3). Spans of BIO tags are scored as whole
// (Tjong Kim Sang and De Meulder 2003).
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/spans.h"
#include "engine/tasks/task.h"

#include <algorithm>

namespace heddle {
namespace {

class TagTask final : public Task {
public:
    explicit TagTask(const RunData& data) : classes_(data.classes) {}

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeTagBatch(corpus, indices);
    }

    at::Tensor asked(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return rowsAtPositions(encodeBatch(model, batch, f), batch);
    }

    std::string lossSignature(double smoothing) const override {
        return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:word";
    }
    std::string accuracySignature() const override { return "per:word"; }

    void collect(const Answered& answered, const Batch& batch, Predictions& predictions) const override {
        const std::vector<std::int64_t> best = likeliestClasses(answered);
        for (std::size_t i = 0; i < best.size(); ++i) {
            const std::int64_t row = batch.positions[i] / batch.sourceWidth;
            predictions.words[static_cast<std::size_t>(batch.indices[static_cast<std::size_t>(row)])].push_back(best[i]);
        }
    }

    std::optional<std::string> said(const EncodedCorpus& corpus, const Predictions& predictions, std::size_t i) const override {
        std::string text;
        for (const std::string& tag : tagsOf(corpus, predictions, i)) text += (text.empty() ? "" : " ") + tag;
        return text;
    }

    TaskScores score(const EncodedCorpus& corpus, const Predictions& predictions, double) const override {
        const bool isBio = std::all_of(classes_.begin(), classes_.end(), [](const std::string& tag) {
            return tag == "O" || tag.starts_with("B") || tag.starts_with("I");
        });
        TaskScores scores;
        if (!isBio) return scores;
        std::vector<TagSequence> predicted;
        for (std::size_t i = 0; i < corpus.tags.size(); ++i) predicted.push_back(tagsOf(corpus, predictions, i));
        for (const MetricValue& value : spanValues(scoreSpans(corpus.tags, predicted, SpanScheme::Conlleval)))
            addValue(scores, value);
        return scores;
    }

private:
    /// Words that were cut off count as "O".
    TagSequence tagsOf(const EncodedCorpus& corpus, const Predictions& predictions, std::size_t i) const {
        TagSequence tags;
        for (const std::int64_t tag : predictions.words[i]) tags.push_back(classes_[static_cast<std::size_t>(tag)]);
        tags.resize(corpus.tags[i].size(), "O");
        return tags;
    }

    std::vector<std::string> classes_;
};

}  // namespace

std::unique_ptr<Task> makeTagTask(const RunSpec&, const RunData& data) { return std::make_unique<TagTask>(data); }

}  // namespace heddle
