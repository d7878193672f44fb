// SPDX-License-Identifier: Apache-2.0
// The next word, given those before it; perplexity is the exponential of the mean loss.
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/language.h"
#include "engine/tasks/task.h"

namespace heddle {
namespace {

class CausalLanguageTask final : public Task {
public:
    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t) const override {
        return makeCausalBatch(corpus, indices);
    }

    at::Tensor asked(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return rowsAtPositions(model.decode({batch.targetIn_BT, {}, batch.targetPadding}, {}, f), batch);
    }

    TaskScores score(const EncodedCorpus& corpus, const Predictions&, double loss) const override {
        LanguageTotals totals;
        totals.tokens = static_cast<std::int64_t>(corpus.source.size()) - corpus.size();
        totals.nats = loss * static_cast<double>(totals.tokens);
        TaskScores scores;
        for (const MetricValue& value : languageValues(totals)) addValue(scores, value);
        return scores;
    }
};

}  // namespace

std::unique_ptr<Task> makeCausalLanguageTask(const RunSpec&, const RunData&) { return std::make_unique<CausalLanguageTask>(); }

}  // namespace heddle
