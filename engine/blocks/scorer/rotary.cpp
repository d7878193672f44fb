// SPDX-License-Identifier: Apache-2.0
// Rotary positions (Su et al. 2021, eq. 16 and 34): the scaled dot product of queries and keys turned by their positions,
//   s_ij = (R_i W_q q_i) · (R_j W_k k_j) / √E,  R_p turns the pair (2n, 2n+1) by the angle p · base^(−2n/E)
// so that a score depends on the distance i − j only. q [B,Q,D], k [B,K,D]; s [B,H,Q,K].
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

namespace {

struct RotaryOptions : BiasOptions {
    double base = 0;
};

const OptionFields<RotaryOptions>& rotaryOptions() {
    static const auto kFields =
        OptionFields<RotaryOptions>()
            .add(&RotaryOptions::base, fields::number("base", 10000, {1.01, 1e9},
                                                      "Base of the rotation frequencies; a larger base rotates more slowly."))
            .add(projectedScorerOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeRotaryScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Rotary dot product";
    b.summary =
        "Rotary position embedding, RoPE (Su et al. 2021): scaled dot-product scores of queries and keys rotated by angles "
        "proportional to their positions.";
    b.formulaOf = rotaryOptions().reading([](const RotaryOptions& o) -> std::string {
        return o.bias ? "s_ij = R_i (W_q q_i + b_q) · R_j (W_k k_j + b_k) / √d_k"
                      : "s_ij = (R_i W_q q_i) · (R_j W_k k_j) / √d_k";
    });
    b.reference = "Su et al. 2021 (RoFormer, arXiv 2104.09864), eq. 16 and 34; use with position none";
    b.parameters = rotaryOptions().schema();
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer == SublayerName::Cross)
            return Problem{"kind", "cross-attention has no distance between queries and keys",
                           "use scorer dot on cross-attention"};
        if (where.dims.keyDim % 2 == 0) return std::nullopt;
        return Problem{"kind", "the key width (dims.key_dim) must be even", "choose an even key_dim, or scorer dot"};
    };
    b.isPerHead = true;
    return b;
}

#else

namespace {

class RotaryScorer final : public ProjectedScorer {
public:
    RotaryScorer(const BuildContext& c, const RotaryOptions& o)
        : ProjectedScorer(c, o, 1 / std::sqrt(static_cast<double>(c.where.dims.keyDim))),
          width_(c.where.dims.keyDim),
          speed_N_(c.scope.declareBuffer(speeds(width_, o.base))) {}

    std::optional<Product> product(const LinearInput& q, const LinearInput& k) const override { return factors(q, k); }

private:
    static at::Tensor speeds(std::int64_t width, double base) {
        const at::Tensor pair_N = at::arange(width / 2, at::kDouble);
        return at::pow(base, pair_N * (-2.0 / static_cast<double>(width)));
    }

    /// Rotates every pair of components by the angle of its position. Keys are rotated in the same way.
    at::Tensor changedQueries(const at::Tensor& x_BHSE, const StepPosition& at) const override {
        const at::Tensor pairs_BHSN2 = x_BHSE.unflatten(-1, {width_ / 2, 2});
        const at::Tensor angle_SN = numbersOf(at, x_BHSE.size(2), speed_N_.options()).unsqueeze(1) * speed_N_;
        const at::Tensor cos_SN = at::cos(angle_SN), sin_SN = at::sin(angle_SN);
        const at::Tensor a = pairs_BHSN2.select(-1, 0), b = pairs_BHSN2.select(-1, 1);
        return at::stack({a * cos_SN - b * sin_SN, a * sin_SN + b * cos_SN}, -1).flatten(-2);
    }

    std::int64_t width_;
    at::Tensor speed_N_;  // angle per position, N = E/2 pairs
};

}  // namespace

std::unique_ptr<Block> makeRotaryScorer(const BuildContext& context) {
    return std::make_unique<RotaryScorer>(context, rotaryOptions().read(context.params));
}

#endif

}  // namespace heddle
