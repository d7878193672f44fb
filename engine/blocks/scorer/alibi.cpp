// SPDX-License-Identifier: Apache-2.0
// Attention with linear biases (Press et al. 2022, section 3): the scaled dot product, less for keys that are farther away,
//   s_ij = (W_q q_i) · (W_k k_j) / √E − m_h |i − j|,  m_h = 2^(−8h/H) for head h = 1 … H
// q [B,Q,D], k [B,K,D]; s [B,H,Q,K].
#include "engine/blocks/projected_scorer.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeAlibiScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Dot product with linear biases";
    b.summary = "A scaled dot product that falls with the distance, in every head at its own rate.";
    b.formula = "s_ij = (W_q q_i) · (W_k k_j) / √d_k − m_h |i − j|";
    b.reference = "Press et al. 2022 (ALiBi), section 3; use with position none";
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer != "cross") return std::nullopt;
        return Problem{"kind", "positions of two sequences have no distance", "use scorer dot on cross-attention"};
    };
    return b;
}

#else

namespace {

class AlibiScorer final : public ProjectedScorer {
public:
    explicit AlibiScorer(const BuildContext& c)
        : ProjectedScorer(c),
          scale_(1 / std::sqrt(static_cast<double>(c.where.dims.keyDim))),
          rate_H11_(c.scope.declareBuffer(rates(c.where.dims.heads))) {}

    at::Tensor score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const override {
        const at::Tensor product_BHQK = at::matmul(queries(q_BQD) * scale_, keys(k_BKD).transpose(-2, -1));
        const at::Tensor distance_QK = (positions(q_BQD).unsqueeze(1) - positions(k_BKD)).abs();
        return shown(product_BHQK - rate_H11_ * distance_QK, f);
    }

private:
    static at::Tensor rates(std::int64_t heads) {
        const at::Tensor head_H = at::arange(1, heads + 1, at::kDouble);
        return at::pow(2.0, head_H * (-8.0 / static_cast<double>(heads))).view({heads, 1, 1});
    }

    at::Tensor positions(const at::Tensor& x_BSD) const { return at::arange(x_BSD.size(1), rate_H11_.options()); }

    double scale_;
    at::Tensor rate_H11_;
};

}  // namespace

std::unique_ptr<Block> makeAlibiScorer(const BuildContext& context) { return std::make_unique<AlibiScorer>(context); }

#endif

}  // namespace heddle
