// SPDX-License-Identifier: Apache-2.0
// What the scorers that project queries and keys per head have in common:
//   q′ = W_q q + b_q, k′ = W_k k + b_k    q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; q′, k′ [B,H,·,E]; scores s [B,H,Q,K]
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

/// Shapes, `bias`, count, FLOPs and the exposed score.
BlockDescriptor describeProjectedScorer();

#else

class ProjectedScorer : public Scorer {
public:
    /// Before mask and carried scores: scale · q′ k′ᵀ of product().
    at::Tensor score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const override;
    bool isWatched(const Forward& f) const override;
    bool isReplaced(const Forward& f) const override;

protected:
    explicit ProjectedScorer(const BuildContext& context);
    at::Tensor queries(const at::Tensor& q_BQD) const;  ///< [B,H,Q,E]
    at::Tensor keys(const at::Tensor& k_BKD) const;     ///< [B,H,K,E]
    /// To the taps, which may change it.
    at::Tensor shown(const at::Tensor& score_BHQK, const Forward& f) const;

private:
    std::string path_;
    std::int64_t heads_;
    Linear q_, k_;
};

#endif

}  // namespace heddle
