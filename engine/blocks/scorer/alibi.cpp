// SPDX-License-Identifier: Apache-2.0
// Attention with linear biases (Press et al. 2022, section 3): the scaled dot product with a penalty linear in the distance,
//   s_ij = (W_q q_i) · (W_k k_j) / √E − m_h |i − j|,  m_h = 2^(−8h/P) for head h = 1 … P
// P: the largest power of two up to H. Heads beyond it take every other slope of 2P heads, m_(P+j) = 2^(−4(2j−1)/P), as the
// authors' code does (github.com/ofirpress/attention_with_linear_biases, issue 5).
// q [B,Q,D], k [B,K,D]; s [B,H,Q,K].
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeAlibiScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Dot product with linear biases";
    b.summary =
        "ALiBi (Press et al. 2022): scaled dot-product scores minus a penalty proportional to the distance, with a fixed slope "
        "per head.";
    static const std::string kPenalty =
        " / √d_k − m_h |i − j|, m_h = 2^(−8h/P) for h = 1 … P, the largest power of two up to H; "
        "m_(P+j) = 2^(−4(2j−1)/P) for the heads beyond it";
    b.formulaOf = [product = biasFormula("s_ij = (W_q q_i + b_q) · (W_k k_j + b_k)", "s_ij = (W_q q_i) · (W_k k_j)")](
                      const Json& params) { return product(params) + kPenalty; };
    b.reference = "Press et al. 2022 (ALiBi, arXiv 2108.12409), section 3; use with position none";
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer != SublayerName::Cross) return std::nullopt;
        return Problem{"kind", "cross-attention has no distance between queries and keys", "use scorer dot on cross-attention"};
    };
    return b;
}

#else

namespace {

class AlibiScorer final : public ProjectedScorer {
public:
    AlibiScorer(const BuildContext& c, const BiasOptions& o)
        : ProjectedScorer(c, o, 1 / std::sqrt(static_cast<double>(c.where.dims.keyDim))),
          rate_H11_(c.scope.declareBuffer(rates(c.where.dims.heads))) {}

private:
    static at::Tensor rates(std::int64_t heads) {
        std::int64_t power = 1;
        while (2 * power <= heads) power *= 2;
        const double step = -8.0 / static_cast<double>(power);
        const at::Tensor first = at::arange(1, power + 1, at::kDouble) * step;
        const at::Tensor beyond = (at::arange(1, heads - power + 1, at::kDouble) - 0.5) * step;
        return at::pow(2.0, at::cat({first, beyond})).view({heads, 1, 1});
    }

    at::Tensor withDistance(const at::Tensor& score_BHQK, const StepPosition& at) const override {
        const at::Tensor query_Q = numbersOf(at, score_BHQK.size(2), rate_H11_.options());
        const at::Tensor key_K = at::arange(score_BHQK.size(3), rate_H11_.options());
        return score_BHQK - rate_H11_ * (query_Q.unsqueeze(1) - key_K).abs();
    }

    at::Tensor rate_H11_;
};

}  // namespace

std::unique_ptr<Block> makeAlibiScorer(const BuildContext& context) {
    return std::make_unique<AlibiScorer>(context, projectedScorerOptions().read(context.params));
}

#endif

}  // namespace heddle
