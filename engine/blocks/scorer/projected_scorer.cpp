// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/scorer/projected_scorer.h"

#ifdef HEDDLE_MODULES
#include "engine/kernels/head_products.h"
#endif

namespace heddle {

const OptionFields<BiasOptions>& projectedScorerOptions() {
    static const auto kFields = biasOptions("Whether both projections have a bias.");
    return kFields;
}

#ifndef HEDDLE_MODULES

BlockDescriptor describeProjectedScorer() {
    BlockDescriptor b;
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; s [B,H,Q,K]";
    b.parameters = projectedScorerOptions().schema();
    b.parameterCount = projectedScorerOptions().on([](const BlockContext& where, const BiasOptions& o) {
        const std::int64_t width = where.dims.heads * where.dims.keyDim;
        return 2 * (where.dims.d * width + (o.bias ? width : 0));
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        const std::int64_t width = where.dims.heads * where.dims.keyDim;
        return 2.0 * static_cast<double>(2 * where.dims.d * width + width * where.sequenceLength());
    };
    b.exposures = {
        {tap::kScore, "attention score before the mask", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    return b;
}

#else

ProjectedScorer::ProjectedScorer(const BuildContext& c, const BiasOptions& o, double scale, std::int64_t keyGroups)
    : path_(c.scope.path()), heads_(c.where.dims.heads), keyGroups_(keyGroups), scale_(scale) {
    const WithBias bias{o.bias};
    q_ = declareLinear(c.scope / "q", c.where.dims.d, heads_ * c.where.dims.keyDim, bias);
    k_ = declareLinear(c.scope / "k", c.where.dims.d, keyGroups_ * c.where.dims.keyDim, bias);
}

at::Tensor ProjectedScorer::score(const LinearInput& q, const LinearInput& k, const Forward& f) const {
    return scoreOf(queries(q, {}), {}, keys(k, {}), f);
}

at::Tensor ProjectedScorer::keep(const at::Tensor& k_BKD, const StepPosition& at) const { return keys(k_BKD, at); }

at::Tensor ProjectedScorer::scoreCached(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& cached_BHKE,
                                        const Forward& f) const {
    return scoreOf(queries(q_BQD, at), at, cached_BHKE, f);
}

Scorer::Product ProjectedScorer::factors(const LinearInput& q, const LinearInput& k) const {
    return {queries(q, {}), keys(k, {}), scale_};
}

at::Tensor ProjectedScorer::numbersOf(const StepPosition& at, std::int64_t count, const at::TensorOptions& options) {
    return at.onDevice_1.defined() ? at.onDevice_1.to(options) : at::arange(at.first, at.first + count, options);
}

at::Tensor ProjectedScorer::queries(const LinearInput& q, const StepPosition& at) const {
    return changedQueries(splitHeads(q.by(q_), heads_), at);
}

at::Tensor ProjectedScorer::keys(const LinearInput& k, const StepPosition& at) const {
    return changedKeys(repeatGroups(splitHeads(k.by(k_), keyGroups_), heads_), at);
}

at::Tensor ProjectedScorer::scoreOf(const at::Tensor& q_BHQE, const StepPosition& at, const at::Tensor& k_BHKE,
                                    const Forward& f) const {
    return f.pass(path_, tap::kScore, withDistance(headScores(q_BHQE, k_BHKE, scale_), at));
}

at::Tensor ProjectedScorer::changedQueries(const at::Tensor& q_BHQE, const StepPosition&) const { return q_BHQE; }

at::Tensor ProjectedScorer::changedKeys(const at::Tensor& k_BHKE, const StepPosition& at) const {
    return changedQueries(k_BHKE, at);
}

at::Tensor ProjectedScorer::withDistance(const at::Tensor& score_BHQK, const StepPosition&) const { return score_BHQK; }

bool ProjectedScorer::isWatched(const Forward& f) const { return f.wants(path_, tap::kScore); }

bool ProjectedScorer::isReplaced(const Forward& f) const { return f.replaces(path_, tap::kScore); }

#endif

}  // namespace heddle
