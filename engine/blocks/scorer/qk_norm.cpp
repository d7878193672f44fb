// SPDX-License-Identifier: Apache-2.0
// Normalised queries and keys (Henry et al. 2020, who divide by the L2 norm; Dehghani et al. 2023, section 2; Yang et al.
// 2025):
//   s_h = N_q((W_q q)_h) · N_k((W_k k)_h) / √E,  N(z) = γ ⊙ z / √(mean(z²) + ε)
// over = head: the mean over the E components of a head; γ_q, γ_k [E], 1 at the start, the same for all heads.
// over = projection (OLMo 2, section 2.2): the mean over all heads together; γ_q [H·E], γ_k [G·E].
// Other shapes in engine/blocks/scorer/projected_scorer.h.
// With γ = 1 and over = head a score is √E times the cosine of the angle between query and key, so |s| ≤ √E.
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

enum class NormedPart { Head, Projection };
template <>
struct ChoiceWords<NormedPart> {
    static constexpr ChoiceWord<NormedPart> kAll[] = {{"head", NormedPart::Head}, {"projection", NormedPart::Projection}};
};

namespace {

struct QkNormOptions : BiasOptions {
    double eps = 0;
    NormedPart over{};
};

const OptionFields<QkNormOptions>& qkNormOptions() {
    static const auto kFields =
        OptionFields<QkNormOptions>()
            .add(&QkNormOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square of a query or key."))
            .add(projectedScorerOptions())
            .add(&QkNormOptions::over,
                 fields::choice<NormedPart>("over",
                                            "Whether every head is normalised by itself, as in Qwen3, or all heads of a "
                                            "projection together, as in OLMo 2."));
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
        const auto normed = [&](const std::string& name) {
            const std::string z = "W_" + name + " " + name + (o.bias ? " + b_" + name : "");
            if (o.over == NormedPart::Projection) return "N_" + name + "(" + z + ")_h";
            return "N_" + name + "((" + z + ")_h)";
        };
        return "s_h = " + normed("q") + " · " + normed("k") + " / √d_k, N(z) = γ ⊙ z / √(mean(z²) + ε)";
    });
    b.shapes =
        "q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D], G = dims.kv_heads; γ_q, γ_k [E], with over projection [H·E], [G·E]; s "
        "[B,H,Q,K]";
    b.reference =
        "Henry et al. 2020 (arXiv 2010.04245), section 3; Dehghani et al. 2023 (ViT-22B, arXiv 2302.05442), section 2; Yang et "
        "al. 2025 (Qwen3, arXiv 2505.09388), section 2; OLMo 2 (arXiv 2501.00656), section 2.2";
    b.reading =
        "Reading. Henry et al. divide by the L2 norm and learn one factor in place of 1/√d_k; Dehghani et al. use LayerNorm. "
        "This is the form of Qwen3: RMSNorm over each head with one gain for the queries and one for the keys, shared by the "
        "heads; with `over` projection it is that of OLMo 2. Positions of slot relative are applied after the norm, as in "
        "both.";
    b.parameters = qkNormOptions().schema();
    b.parameterCount = qkNormOptions().on([](const BlockContext& where, const QkNormOptions& o) {
        const std::int64_t heads = o.over == NormedPart::Head ? 2 : where.dims.heads + where.dims.keyHeads();
        return projectedScorerCount(where, o.bias, where.dims.keyHeads()) + heads * where.dims.keyDim;
    });
    b.isPerHead = b.takesRelative = true;
    return b;
}

#else

namespace {

class QkNormScorer final : public ProjectedScorer {
public:
    QkNormScorer(const BuildContext& c, const QkNormOptions& o)
        : ProjectedScorer(c, o, scoreScale(c.where.dims)),
          eps_(o.eps),
          overAll_(o.over == NormedPart::Projection),
          gainQ_(declareGain(c, "q_gain", c.where.dims.heads)),
          gainK_(declareGain(c, "k_gain", c.where.dims.keyHeads())) {}

private:
    /// [E], or for all heads together [H·E].
    at::Tensor declareGain(const BuildContext& c, const char* name, std::int64_t heads) const {
        return c.scope.declare(name, {(overAll_ ? heads : 1) * c.where.dims.keyDim}, {Initial::Kind::Ones});
    }
    at::Tensor normedQueries(const at::Tensor& q_BHQE) const override { return normed(q_BHQE, gainQ_); }
    at::Tensor normedKeys(const at::Tensor& k_BGKE) const override { return normed(k_BGKE, gainK_); }

    at::Tensor normed(const at::Tensor& x_BHSE, const at::Tensor& gain) const {
        return (overAll_ ? gain.view({x_BHSE.size(1), 1, x_BHSE.size(3)}) : gain) * scaled(x_BHSE);
    }
    /// In float32 where the projections are bfloat16, whose squares would lose half of their digits.
    at::Tensor scaled(const at::Tensor& x_BHSE) const {
        const at::Tensor x = x_BHSE.scalar_type() == at::kBFloat16 ? x_BHSE.to(at::kFloat) : x_BHSE;
        const at::Tensor square = x.square();
        return x * ((overAll_ ? square.mean({1, 3}, true) : square.mean(-1, true)) + eps_).rsqrt();
    }

    double eps_;
    bool overAll_;
    at::Tensor gainQ_, gainK_;
};

}  // namespace

std::unique_ptr<Block> makeQkNormScorer(const BuildContext& context) {
    return std::make_unique<QkNormScorer>(context, qkNormOptions().read(context.params));
}

#endif

}  // namespace heddle
