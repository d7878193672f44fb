// SPDX-License-Identifier: Apache-2.0
// Attention with linear biases (Press et al. 2022, section 3): the scaled dot product, less for keys that are farther away,
//   s_ij = (W_q q_i) · (W_k k_j) / √E − m_h |i − j|,  m_h = 2^(−8h/H) for head h = 1 … H
// q [B,Q,D], k [B,K,D]; s [B,H,Q,K].
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

constexpr const char* kScore = "score";

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeAlibiScorer() {
    BlockDescriptor b;
    b.title = "Dot product with linear biases";
    b.summary = "A scaled dot product that falls with the distance, in every head at its own rate.";
    b.formula = "s_ij = (W_q q_i) · (W_k k_j) / √d_k − m_h |i − j|";
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; s [B,H,Q,K]";
    b.reference = "Press et al. 2022 (ALiBi), section 3; use with position none";
    b.parameters = {fields::flag("bias", true, "Whether both projections have a bias.")};
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
        if (where.sublayer != "cross") return std::nullopt;
        return Problem{"kind", "positions of two sequences have no distance", "use scorer dot on cross-attention"};
    };
    b.exposures = {{kScore, "attention score before the mask", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    return b;
}

#else

namespace {

class AlibiScorer final : public Scorer {
public:
    explicit AlibiScorer(const BuildContext& c)
        : path_(c.scope.path()),
          heads_(c.where.dims.heads),
          width_(c.where.dims.keyDim),
          rate_H11_(c.scope.declareBuffer(rates(heads_))) {
        const WithBias bias = c.params.at("bias").get<bool>() ? WithBias::Yes : WithBias::No;
        q_ = declareLinear(c.scope / "q", c.where.dims.d, heads_ * width_, bias);
        k_ = declareLinear(c.scope / "k", c.where.dims.d, heads_ * width_, bias);
    }

    at::Tensor score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const override {
        const double scale = 1 / std::sqrt(static_cast<double>(width_));
        const at::Tensor product_BHQK = at::matmul(split(q_(q_BQD)) * scale, split(k_(k_BKD)).transpose(-2, -1));
        const at::Tensor distance_QK = (positions(q_BQD).unsqueeze(1) - positions(k_BKD)).abs();
        return f.pass(path_, kScore, product_BHQK - rate_H11_ * distance_QK);
    }

    bool isWatched(const Forward& f) const override { return f.wants(path_, kScore); }
    bool isReplaced(const Forward& f) const override { return f.replaces(path_, kScore); }

private:
    static at::Tensor rates(std::int64_t heads) {
        const at::Tensor head_H = at::arange(1, heads + 1, at::kDouble);
        return at::pow(2.0, head_H * (-8.0 / static_cast<double>(heads))).view({heads, 1, 1});
    }

    at::Tensor positions(const at::Tensor& x_BSD) const { return at::arange(x_BSD.size(1), rate_H11_.options()); }

    at::Tensor split(const at::Tensor& x) const {  // [B,S,H·E] → [B,H,S,E]
        return x.view({x.size(0), x.size(1), heads_, width_}).transpose(1, 2);
    }

    std::string path_;
    std::int64_t heads_, width_;
    at::Tensor rate_H11_;
    Linear q_, k_;
};

}  // namespace

std::unique_ptr<Block> makeAlibiScorer(const BuildContext& context) { return std::make_unique<AlibiScorer>(context); }

#endif

}  // namespace heddle
