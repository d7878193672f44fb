// SPDX-License-Identifier: Apache-2.0
// Rotary positions (Su et al. 2021, eq. 16 and 34): the scaled dot product of queries and keys turned by their positions,
//   s_ij = (R_i W_q q_i) · (R_j W_k k_j) / √E,  R_p turns the pair (2n, 2n+1) by the angle p · base^(−2n/E)
// so that a score knows the distance i − j and not the positions. q [B,Q,D], k [B,K,D]; s [B,H,Q,K].
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

constexpr const char* kScore = "score";

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeRotaryScorer() {
    BlockDescriptor b;
    b.title = "Rotary dot product";
    b.summary = "A scaled dot product of queries and keys that are turned by their positions.";
    b.formula = "s_ij = (R_i W_q q_i) · (R_j W_k k_j) / √d_k";
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; s [B,H,Q,K]";
    b.reference = "Su et al. 2021 (RoFormer), eq. 16 and 34; use with position none";
    b.parameters = {fields::number("base", 10000, {1.01, 1e9}, "Base of the angles: larger turns more slowly."),
                    fields::flag("bias", true, "Whether both projections have a bias.")};
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        const std::int64_t width = where.dims.heads * where.dims.keyDim;
        return 2 * (where.dims.d * width + (params.at("bias").get<bool>() ? width : 0));
    };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        const std::int64_t width = where.dims.heads * where.dims.keyDim;
        const std::int64_t keys = where.sequence > 0 ? where.sequence : where.dims.maxLen;
        return 2.0 * static_cast<double>(2 * where.dims.d * width + width * keys);
    };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer == "cross")
            return Problem{"kind", "positions of two sequences have no distance", "use scorer dot on cross-attention"};
        if (where.dims.keyDim % 2 == 0) return std::nullopt;
        return Problem{"kind", "an odd key width (dims.key_dim) has no pairs", "choose an even key_dim, or scorer dot"};
    };
    b.exposures = {{kScore, "attention score before the mask", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    return b;
}

#else

namespace {

class RotaryScorer final : public Scorer {
public:
    explicit RotaryScorer(const BuildContext& c)
        : path_(c.scope.path()),
          heads_(c.where.dims.heads),
          width_(c.where.dims.keyDim),
          speed_N_(c.scope.declareBuffer(speeds(width_, c.params.at("base").get<double>()))) {
        const WithBias bias = c.params.at("bias").get<bool>() ? WithBias::Yes : WithBias::No;
        q_ = declareLinear(c.scope / "q", c.where.dims.d, heads_ * width_, bias);
        k_ = declareLinear(c.scope / "k", c.where.dims.d, heads_ * width_, bias);
    }

    at::Tensor score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const override {
        const Product p = *product(q_BQD, k_BKD);
        return f.pass(path_, kScore, at::matmul(p.q_BHQE * p.scale, p.k_BHKE.transpose(-2, -1)));
    }

    std::optional<Product> product(const at::Tensor& q_BQD, const at::Tensor& k_BKD) const override {
        return Product{turned(q_(q_BQD)), turned(k_(k_BKD)), 1 / std::sqrt(static_cast<double>(width_))};
    }

    bool isWatched(const Forward& f) const override { return f.wants(path_, kScore); }
    bool isReplaced(const Forward& f) const override { return f.replaces(path_, kScore); }

private:
    static at::Tensor speeds(std::int64_t width, double base) {
        const at::Tensor pair_N = at::arange(width / 2, at::kDouble);
        return at::pow(base, pair_N * (-2.0 / static_cast<double>(width)));
    }

    at::Tensor turned(const at::Tensor& x) const {  // [B,S,H·E] → [B,H,S,E], every pair turned
        const at::Tensor pairs_BHSN2 = x.view({x.size(0), x.size(1), heads_, width_ / 2, 2}).transpose(1, 2);
        const at::Tensor angle_SN = at::arange(x.size(1), speed_N_.options()).unsqueeze(1) * speed_N_;
        const at::Tensor cos_SN = at::cos(angle_SN), sin_SN = at::sin(angle_SN);
        const at::Tensor a = pairs_BHSN2.select(-1, 0), b = pairs_BHSN2.select(-1, 1);
        return at::stack({a * cos_SN - b * sin_SN, a * sin_SN + b * cos_SN}, -1).flatten(-2);
    }

    std::string path_;
    std::int64_t heads_, width_;
    at::Tensor speed_N_;  // angle from one position to the next, N = E/2 pairs
    Linear q_, k_;
};

}  // namespace

std::unique_ptr<Block> makeRotaryScorer(const BuildContext& context) { return std::make_unique<RotaryScorer>(context); }

#endif

}  // namespace heddle
