// SPDX-License-Identifier: Apache-2.0
// The next word, given those before it; perplexity is the exponential of the mean loss.
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/language.h"
#include "engine/tasks/task.h"

namespace heddle {
namespace {

/// Stores nothing for an example: perplexity follows from the loss.
class LanguagePredictions final : public Predictions {
public:
    explicit LanguagePredictions(const EncodedCorpus& corpus) : corpus_(corpus) {}

    TaskMetrics metrics(double loss) const override {
        LanguageTotals totals;
        totals.tokens = static_cast<std::int64_t>(corpus_.source.size()) - corpus_.size();
        totals.nats = loss * static_cast<double>(totals.tokens);
        TaskMetrics metrics;
        for (const MetricValue& value : languageValues(totals)) addMetric(metrics, value);
        return metrics;
    }

private:
    const EncodedCorpus& corpus_;
};

class CausalLanguageTask final : public Task {
public:
    explicit CausalLanguageTask(Documents documents) : documents_(documents) {}

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeCausalBatch(corpus, indices, documents_);
    }

    at::Tensor headInput(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return headRows(model, model.decode(batch.target(), {}, f), batch);
    }

    std::unique_ptr<Predictions> predictions(const EncodedCorpus& corpus, PredictionUse) const override {
        return std::make_unique<LanguagePredictions>(corpus);
    }

private:
    Documents documents_;
};

}  // namespace

std::unique_ptr<Task> makeCausalLanguageTask(const RunSpec& spec, const RunData&) {
    return std::make_unique<CausalLanguageTask>(documentsOf(spec.data));
}

}  // namespace heddle
