// SPDX-License-Identifier: Apache-2.0
// Attention with linear biases (Press et al. 2022, section 3): a penalty linear in the distance,
//   z_ij = s_ij − m_h |i − j|,  m_h = 2^(−8h/P) for head h = 1 … P
// P: the largest power of two up to H. Heads beyond it take every other slope of 2P heads, m_(P+j) = 2^(−4(2j−1)/P), as the
// authors' code does (github.com/ofirpress/attention_with_linear_biases, issue 5). s, z [B,H,Q,K].
#include "engine/blocks/relative/relative.h"

namespace heddle {

#ifndef HEDDLE_MODULES

std::string alibiSlopes() {
    return "m_h = 2^(−8h/P) for h = 1 … P, the largest power of two up to H; "
           "m_(P+j) = 2^(−4(2j−1)/P) for the heads beyond it";
}

BlockDescriptor describeAlibiRelative() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Linear biases";
    b.summary =
        "ALiBi (Press et al. 2022): scores fall by a penalty proportional to the distance, with a fixed slope per head.";
    b.formula = "z_ij = s_ij − m_h |i − j|, " + alibiSlopes();
    b.shapes = "s, z [B,H,Q,K]; m [H]";
    b.reference = "Press et al. 2022 (ALiBi, arXiv 2108.12409), section 3; use with position none";
    b.check = [](const BlockContext& where, const Json&) { return needsDistance(where); };
    b.changesScores = true;
    return b;
}

#else

namespace {

class AlibiPosition final : public RelativePosition {
public:
    explicit AlibiPosition(const BuildContext& c) : rate_H11_(c.scope.declareBuffer(rates(c.where.dims.heads))) {}

    bool changesScores() const override { return true; }

    at::Tensor biased(const at::Tensor& score_BHQK, const StepPosition& at) const override {
        const at::Tensor query_Q = rowNumbers(at, score_BHQK.size(2), rate_H11_.options());
        const at::Tensor key_K = at::arange(score_BHQK.size(3), rate_H11_.options());
        return score_BHQK - rate_H11_ * (query_Q.unsqueeze(1) - key_K).abs();
    }

private:
    static at::Tensor rates(std::int64_t heads) {
        std::int64_t power = 1;
        while (2 * power <= heads) power *= 2;
        const double step = -8.0 / static_cast<double>(power);
        const at::Tensor first = at::arange(1, power + 1, at::kDouble) * step;
        const at::Tensor beyond = (at::arange(1, heads - power + 1, at::kDouble) - 0.5) * step;
        return at::pow(2.0, at::cat({first, beyond})).view({heads, 1, 1});
    }

    at::Tensor rate_H11_;
};

}  // namespace

std::unique_ptr<const RelativePosition> makeAlibi(const BuildContext& context) {
    return std::make_unique<AlibiPosition>(context);
}

std::unique_ptr<Block> makeAlibiRelative(const BuildContext& context) { return std::make_unique<AlibiPosition>(context); }

#endif

}  // namespace heddle
