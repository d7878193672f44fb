// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product scores (Vaswani et al. 2017, eq. 1), several heads of free width:
//   s_h = (W_q q)_h · (W_k k)_h / c    q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; s [B,H,Q,K]
// c = √E (sqrt_dk), √D (sqrt_d: the listing of the Atinuke paper) or 1. Masks come later, after every term was added.
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

constexpr const char* kScore = "score";

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeDotScorer() {
    BlockDescriptor b;
    b.title = "Scaled dot product";
    b.summary = "Scores a query against a key by the product of their projections, head by head.";
    b.formula = "s = (W_q q + b_q)(W_k k + b_k)ᵀ / √d_k";
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; s [B,H,Q,K]";
    b.reference = "Vaswani et al. 2017, eq. 1";
    b.parameters = {fields::choice("scale", {"sqrt_dk", "sqrt_d", "one"}, "What the product is divided by."),
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
    b.exposures = {{kScore, "attention score before the mask", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    return b;
}

#else

namespace {

class DotScorer final : public Scorer {
public:
    explicit DotScorer(const BuildContext& c)
        : path_(c.scope.path()),
          heads_(c.where.dims.heads),
          width_(c.where.dims.keyDim),
          scale_(scaleOf(c.params.at("scale"), c.where.dims)) {
        const WithBias bias = c.params.at("bias").get<bool>() ? WithBias::Yes : WithBias::No;
        q_ = declareLinear(c.scope / "q", c.where.dims.d, heads_ * width_, bias);
        k_ = declareLinear(c.scope / "k", c.where.dims.d, heads_ * width_, bias);
    }

    at::Tensor score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const override {
        const Product p = *product(q_BQD, k_BKD);
        return f.pass(path_, kScore, at::matmul(p.q_BHQE * p.scale, p.k_BHKE.transpose(-2, -1)));
    }

    std::optional<Product> product(const at::Tensor& q_BQD, const at::Tensor& k_BKD) const override {
        return Product{split(q_(q_BQD)), split(k_(k_BKD)), scale_};
    }

    bool isWatched(const Forward& f) const override { return f.wants(path_, kScore); }
    bool isReplaced(const Forward& f) const override { return f.replaces(path_, kScore); }

private:
    static double scaleOf(const std::string& name, const Dims& dims) {
        if (name == "one") return 1;
        return 1 / std::sqrt(static_cast<double>(name == "sqrt_d" ? dims.d : dims.keyDim));
    }

    at::Tensor split(const at::Tensor& x) const {  // [B,S,H·E] → [B,H,S,E]
        return x.view({x.size(0), x.size(1), heads_, width_}).transpose(1, 2);
    }

    std::string path_;
    std::int64_t heads_, width_;
    double scale_;
    Linear q_, k_;
};

}  // namespace

std::unique_ptr<Block> makeDotScorer(const BuildContext& context) { return std::make_unique<DotScorer>(context); }

#endif

}  // namespace heddle
