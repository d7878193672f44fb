// SPDX-License-Identifier: Apache-2.0
// Normalised queries and keys (Henry et al. 2020, who divide by the L2 norm; Dehghani et al. 2023, section 2; Yang et al.
// 2025):
//   s_h = N_q((W_q q)_h) · N_k((W_k k)_h) / √E,  N(z) = γ ⊙ z / √(mean(z²) + ε) over the E components of a head
// q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; γ_q, γ_k [E], 1 at the start, the same for all heads; s [B,H,Q,K].
// With γ = 1 a score is √E times the cosine of the angle between query and key, so |s| ≤ √E.
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

namespace {

struct QkNormOptions : BiasOptions {
    double eps = 0;
};

const OptionFields<QkNormOptions>& qkNormOptions() {
    static const auto kFields =
        OptionFields<QkNormOptions>()
            .add(&QkNormOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square of a query or key."))
            .add(projectedScorerOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeQkNormScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Dot product of normalised queries and keys";
    b.summary =
        "QK-norm (Henry et al. 2020; Dehghani et al. 2023): scaled dot-product scores of queries and keys that RMSNorm has "
        "brought to one length in each head, which bounds the scores.";
    b.formulaOf = qkNormOptions().reading([](const QkNormOptions& o) -> std::string {
        return (o.bias ? "s_h = N_q((W_q q + b_q)_h) · N_k((W_k k + b_k)_h)" : "s_h = N_q((W_q q)_h) · N_k((W_k k)_h)") +
               std::string(" / √d_k, N(z) = γ ⊙ z / √(mean(z²) + ε)");
    });
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; γ_q, γ_k [E]; s [B,H,Q,K]";
    b.reference =
        "Henry et al. 2020 (arXiv 2010.04245), section 3; Dehghani et al. 2023 (ViT-22B, arXiv 2302.05442), section 2; Yang et "
        "al. 2025 (Qwen3, arXiv 2505.09388), section 2";
    b.reading =
        "Reading. Henry et al. divide by the L2 norm and learn one factor in place of 1/√d_k; Dehghani et al. use LayerNorm. "
        "This is the form of Qwen3: RMSNorm over each head with one gain for the queries and one for the keys, shared by the "
        "heads. OLMo 2 (arXiv 2501.00656) normalises all heads together. Both apply rotary positions after the norm; here "
        "positions are the embedding's.";
    b.parameters = qkNormOptions().schema();
    b.parameterCount = qkNormOptions().on([](const BlockContext& where, const QkNormOptions& o) {
        const std::int64_t width = where.dims.heads * where.dims.keyDim;
        return 2 * (where.dims.d * width + (o.bias ? width : 0)) + 2 * where.dims.keyDim;
    });
    b.isPerHead = true;
    return b;
}

#else

namespace {

class QkNormScorer final : public ProjectedScorer {
public:
    QkNormScorer(const BuildContext& c, const QkNormOptions& o)
        : ProjectedScorer(c, o, 1 / std::sqrt(static_cast<double>(c.where.dims.keyDim))),
          eps_(o.eps),
          gainQ_E_(c.scope.declare("q_gain", {c.where.dims.keyDim}, {Initial::Kind::Ones})),
          gainK_E_(c.scope.declare("k_gain", {c.where.dims.keyDim}, {Initial::Kind::Ones})) {}

    std::optional<Product> product(const LinearInput& q, const LinearInput& k) const override { return factors(q, k); }

private:
    at::Tensor changedQueries(const at::Tensor& q_BHQE, const StepPosition&) const override {
        return gainQ_E_ * scaled(q_BHQE);
    }
    at::Tensor changedKeys(const at::Tensor& k_BHKE, const StepPosition&) const override { return gainK_E_ * scaled(k_BHKE); }
    /// In float32 where the projections are bfloat16, whose squares would lose half of their digits.
    at::Tensor scaled(const at::Tensor& x_BHSE) const {
        const at::Tensor x = x_BHSE.scalar_type() == at::kBFloat16 ? x_BHSE.to(at::kFloat) : x_BHSE;
        return x * (x.square().mean(-1, true) + eps_).rsqrt();
    }

    double eps_;
    at::Tensor gainQ_E_, gainK_E_;
};

}  // namespace

std::unique_ptr<Block> makeQkNormScorer(const BuildContext& context) {
    return std::make_unique<QkNormScorer>(context, qkNormOptions().read(context.params));
}

#endif

}  // namespace heddle
