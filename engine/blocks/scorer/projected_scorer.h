// SPDX-License-Identifier: Apache-2.0
// Base of scorers that project queries and keys per head:
//   q′ = W_q q + b_q, k′ = W_k k + b_k    q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; q′, k′ [B,H,·,E]; scores s [B,H,Q,K]
#pragma once

#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

const OptionFields<BiasOptions>& projectedScorerOptions();

#ifndef HEDDLE_MODULES

/// Shapes, parameters, count, FLOPs and the exposed score.
BlockDescriptor describeProjectedScorer();

#else

class ProjectedScorer : public Scorer, public IncrementalScorer {
public:
    /// Before mask and carried scores: scale · q′ k′ᵀ.
    at::Tensor score(const LinearInput& q, const LinearInput& k, const Forward& f) const override;
    std::vector<const Linear*> queryMaps() const override { return {&q_}; }
    std::vector<const Linear*> keyMaps() const override { return {&k_}; }
    at::Tensor keep(const at::Tensor& k_BKD, const StepPosition& at) const override;
    at::Tensor scoreCached(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& cached_BHKE,
                           const Forward& f) const override;
    bool isWatched(const Forward& f) const override;
    bool isReplaced(const Forward& f) const override;

protected:
    ProjectedScorer(const BuildContext& context, const BiasOptions& o, double scale)
        : ProjectedScorer(context, o, scale, context.where.dims.heads) {}
    /// `keyGroups`: number of key heads, each shared by H / keyGroups query heads.
    ProjectedScorer(const BuildContext& context, const BiasOptions& o, double scale, std::int64_t keyGroups);
    Product factors(const LinearInput& q, const LinearInput& k) const;  ///< the result of product() in classes that have one
    /// The positions of `count` rows as a tensor [count] with these options.
    static at::Tensor numbersOf(const StepPosition& at, std::int64_t count, const at::TensorOptions& options);

private:
    at::Tensor queries(const LinearInput& q, const StepPosition& at) const;  ///< q′
    at::Tensor keys(const LinearInput& k, const StepPosition& at) const;     ///< k′, one per query head
    at::Tensor scoreOf(const at::Tensor& q_BHQE, const StepPosition& at, const at::Tensor& k_BHKE, const Forward& f) const;
    /// Changes projected queries [B,H,Q,E]; default: unchanged.
    virtual at::Tensor changedQueries(const at::Tensor& q_BHQE, const StepPosition& at) const;
    /// Changes projected keys [B,H,K,E]; default: as changedQueries().
    virtual at::Tensor changedKeys(const at::Tensor& k_BHKE, const StepPosition& at) const;
    /// Applies the query–key distance to scores; the first key is at position 0. Default: unchanged.
    virtual at::Tensor withDistance(const at::Tensor& score_BHQK, const StepPosition& at) const;

    std::string path_;
    std::int64_t heads_, keyGroups_;
    double scale_;
    Linear q_, k_;
};

#endif

}  // namespace heddle
