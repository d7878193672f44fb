// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/budget.h"

#include "engine/base/error.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/data/batching/row_batches.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"
#include "engine/train/loop/setup.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

using Batches = std::vector<std::vector<std::int64_t>>;

/// The tokens of the batches that training will take.
class TokenPlan {
public:
    TokenPlan(const RunSpec& spec, const Dims& dims, const EncodedCorpus& corpus)
        : corpus_(corpus),
          options_(trainingBatches(spec, dims)),
          target_(taskKind(spec.data.task).target),
          accumulate_(spec.train.accumulate) {}

    std::int64_t tokensOf(const std::vector<std::int64_t>& batch) const {
        std::int64_t tokens = 0;
        for (const std::int64_t row : batch) tokens += workTokensOf(corpus_, row, target_);
        return tokens;
    }

    /// The mean tokens of a row, at least 1.
    std::int64_t meanLength() const {
        std::int64_t tokens = 0, rows = 0;
        for (const auto& batch : planEpoch(corpus_, options_, 0)) {
            tokens += tokensOf(batch);
            rows += std::ssize(batch);
        }
        return std::max<std::int64_t>(1, std::llround(static_cast<double>(tokens) / static_cast<double>(rows)));
    }

    /// The first step after which a run has processed at least so many tokens.
    std::int64_t stepOf(double tokens) const {
        double read = 0;
        std::int64_t step = 0;
        for (std::int64_t epoch = 0;; ++epoch) {
            const double before = read;
            const Batches batches = planEpoch(corpus_, options_, epoch);
            for (std::size_t i = 0; i < batches.size(); ++i) {
                if (static_cast<std::int64_t>(i) % accumulate_ == 0) {  // a step does not span two epochs
                    if (read >= tokens) return step;
                    ++step;
                }
                read += static_cast<double>(tokensOf(batches[i]));
            }
            if (read >= tokens) return step;
            if (read == before)
                throwInvalid("the training examples have no tokens", "train.budget", "limit the run by train.steps or epochs");
        }
    }

private:
    const EncodedCorpus& corpus_;
    BatchOptions options_;
    TaskKind::Target target_;
    std::int64_t accumulate_;
};

}  // namespace

double trainingFlopsPerToken(const ResolvedVariant& variant, std::int64_t length) {
    double flops = 0;
    for (const ModuleCost& module : countCost(variant, length).modules)
        flops += module.flopsPerToken + module.flopsBackwardPerToken;
    return flops;
}

std::int64_t lastStepOfBudget(const RunSpec& spec, const ResolvedVariant& variant, const EncodedCorpus& train) {
    const BudgetSpec& budget = spec.train.budget;
    if (budget.tokens <= 0 && budget.flops <= 0) return 0;
    const TokenPlan plan(spec, variant.dims, train);
    double tokens = budget.tokens > 0 ? budget.tokens : std::numeric_limits<double>::infinity();
    if (budget.flops > 0) tokens = std::min(tokens, budget.flops / trainingFlopsPerToken(variant, plan.meanLength()));
    return plan.stepOf(tokens);
}

}  // namespace heddle
