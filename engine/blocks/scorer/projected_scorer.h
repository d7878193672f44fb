// SPDX-License-Identifier: Apache-2.0
// Scorers that project queries and keys per head:
//   q′ = P(N(W_q q + b_q)), k′ = P(N(W_k k + b_k)), s = B(scale · q′ k′ᵀ)
// q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D]; q′ [B,H,Q,E], k′ [B,G,K,E], each of the G heads of keys shared by H / G heads
// of queries (Ainslie et al. 2023, section 2.2); s [B,H,Q,K]. N is the scorer's own, P and B are those of slot "relative".
#pragma once

#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

const OptionFields<BiasOptions>& projectedScorerOptions();

#ifndef HEDDLE_MODULES

/// Shapes, parameters, count, FLOPs and the exposed score, with dims.kv_heads heads of keys.
BlockDescriptor describeProjectedScorer();
/// Number of parameters, and FLOPs for a token, of both projections and the products with this many heads of keys.
std::int64_t projectedScorerCount(const BlockContext& where, bool bias, std::int64_t keyHeads);
double projectedScorerFlops(const BlockContext& where, std::int64_t keyHeads);

#else

/// The scale 1 / √E; with a base model √E₀ / E, E₀ the base model's width of a key (Yang et al. 2022, definition 4.1).
double scoreScale(const Dims& dims);

class ProjectedScorer : public Scorer, public IncrementalScorer {
public:
    /// Has dims.kv_heads heads of keys and the context's relative position.
    ProjectedScorer(const BuildContext& context, const BiasOptions& o, double scale)
        : ProjectedScorer(context, o, Form{scale, context.where.dims.keyHeads(), context.relative}) {}

    at::Tensor score(const LinearInput& q, const LinearInput& k, const Forward& f) const override;
    std::optional<Product> product(const LinearInput& q, const LinearInput& k) const override;
    std::vector<const Linear*> queryMaps() const override { return {&q_}; }
    std::vector<const Linear*> keyMaps() const override { return {&k_}; }
    at::Tensor keep(const at::Tensor& k_BKD, const StepPosition& at) const override;
    at::Tensor scoreCached(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& cached_BGKE,
                           const Forward& f) const override;
    bool isWatched(const Forward& f) const override;
    bool isReplaced(const Forward& f) const override;

    struct Form {
        double scale = 1;
        std::int64_t keyHeads = 0;
        const RelativePosition* relative = nullptr;  ///< must outlive the scorer; null: none
    };
    ProjectedScorer(const BuildContext& context, const BiasOptions& o, const Form& form);

private:
    at::Tensor queries(const LinearInput& q, const StepPosition& at) const;  ///< q′ [B,H,Q,E]
    at::Tensor keys(const LinearInput& k, const StepPosition& at) const;     ///< k′ [B,G,K,E]
    at::Tensor scoreOf(const at::Tensor& product_BHQK, const StepPosition& at, const Forward& f) const;
    /// N of queries [B,H,Q,E]; default: unchanged.
    virtual at::Tensor normedQueries(const at::Tensor& q_BHQE) const;
    /// N of keys [B,G,K,E]; default: unchanged.
    virtual at::Tensor normedKeys(const at::Tensor& k_BGKE) const;

    std::string path_;
    std::int64_t heads_;
    Form form_;
    Linear q_, k_;
};

/// The scaled dot product with a relative position of its own.
std::unique_ptr<Block> makePlacedScorer(const BuildContext& context, const BiasOptions& o,
                                        std::unique_ptr<const RelativePosition> relative);

#endif

}  // namespace heddle
