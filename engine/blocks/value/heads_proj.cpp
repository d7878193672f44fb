// SPDX-License-Identifier: Apache-2.0
// Values per head with an output projection (Vaswani et al. 2017, section 3.2.2):
//   o = W_o [p_1 (W_v x)_1; …; p_H (W_v x)_H] + b_o
//   p [B,H,Q,K] attention weights; x [B,K,D]; W_v [H·E,D], W_o [D,H·E]; o [B,Q,D]; E is the value width of a head
#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#include "engine/kernels/head_products.h"
#endif

namespace heddle {

namespace {

struct ProjectedHeadsOptions {
    bool bias = true;
};

const OptionFields<ProjectedHeadsOptions>& projectedHeadsOptions() {
    static const auto kFields = OptionFields<ProjectedHeadsOptions>().add(
        &ProjectedHeadsOptions::bias, fields::flag("bias", true, "Whether both projections have a bias."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeHeadsProjectedValue() {
    BlockDescriptor b;
    b.title = "Values per head, projected";
    b.summary = "Mixes the value vectors head by head and maps the merged heads back to the model width.";
    b.formula = "o = W_o [p₁ W_v¹x; …; p_H W_vᴴx] + b_o";
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [H·E,D], W_o [D,H·E]; o [B,Q,D]";
    b.reference = "Vaswani et al. 2017, section 3.2.2";
    b.parameters = projectedHeadsOptions().schema();
    b.parameterCount = projectedHeadsOptions().on([](const BlockContext& where, const ProjectedHeadsOptions& o) {
        const std::int64_t d = where.dims.d, width = where.dims.heads * where.dims.valueDim;
        return 2 * d * width + (o.bias ? width + d : 0);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        const std::int64_t width = where.dims.heads * where.dims.valueDim;
        return 2.0 * static_cast<double>(2 * where.dims.d * width + width * where.sequenceLength());
    };
    return b;
}

#else

namespace {

class HeadsProjectedValue final : public Value, public IncrementalValue {
public:
    HeadsProjectedValue(const BuildContext& c, const ProjectedHeadsOptions& o) : heads_(c.where.dims.heads) {
        const std::int64_t width = heads_ * c.where.dims.valueDim;
        const WithBias bias{o.bias};
        v_ = declareLinear(c.scope / "v", c.where.dims.d, width, bias);
        out_ = declareLinear(c.scope / "out", width, c.where.dims.d, bias);
    }

    at::Tensor aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const Adjuster* inner,
                         const Forward& f) const override {
        return merge(headMix(weights_BHQK, heads(x)), inner, f);
    }
    std::vector<const Linear*> maps() const override { return {&v_}; }

    at::Tensor keep(const at::Tensor& x_BKD) const override { return heads(x_BKD); }

    at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const Adjuster* inner,
                         const Forward& f) const override {
        return merge(headMix(weights_BHQK, cached.values_BHKE), inner, f);
    }

    at::Tensor heads(const LinearInput& x) const override { return splitHeads(x.by(v_), heads_); }

    at::Tensor merge(const at::Tensor& heads_BHQE, const Adjuster* inner, const Forward& f) const override {
        const at::Tensor merged_BQD = joinHeads(heads_BHQE);
        return out_(inner ? inner->adjust(merged_BQD, f) : merged_BQD);
    }

private:
    std::int64_t heads_;
    Linear v_, out_;
};

}  // namespace

std::unique_ptr<Block> makeHeadsProjectedValue(const BuildContext& context) {
    return std::make_unique<HeadsProjectedValue>(context, projectedHeadsOptions().read(context.params));
}

#endif

}  // namespace heddle
