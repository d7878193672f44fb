// SPDX-License-Identifier: Apache-2.0
// Grouped-query attention, its values (Ainslie et al. 2023, section 2.2; Shazeer 2019 with one group): H heads mix the values
// of G groups and are mapped back to the model width,
//   o = W_o [p_1 v_g(1); …; p_H v_g(H)] + b_o,  v = W_v x + b_v,  g(h) = ⌊h G / H⌋
// p [B,H,Q,K] attention weights; x [B,K,D]; W_v [G·E,D], W_o [D,H·E]; o [B,Q,D]; E is the value width of a head.
#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/stepping.h"
#include "engine/device/head_products.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

namespace {

/// Width of the values of all groups.
std::int64_t sharedWidth(const BlockContext& where, const Json& params) {
    return params.at("groups").get<std::int64_t>() * where.dims.valueDim;
}

double valueMapFlops(const BlockContext& where, const Json& params) {
    return 2.0 * static_cast<double>(where.dims.d * sharedWidth(where, params));
}

}  // namespace

BlockDescriptor describeGroupedValue() {
    BlockDescriptor b;
    b.title = "Grouped values, projected";
    b.summary = "Groups of heads mix the same value vectors, each with weights of its own.";
    b.formula = "o = W_o [p₁ v_g(1); …; p_H v_g(H)] + b_o, v = W_v x + b_v, g(h) = ⌊h G / H⌋";
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [G·E,D], W_o [D,H·E]; o [B,Q,D]";
    b.reference = "Ainslie et al. 2023 (GQA), section 2.2; Shazeer 2019 (one group); use with scorer grouped";
    b.parameters = {fields::flag("bias", true, "Whether both projections have a bias."), headGroups()};
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        const std::int64_t d = where.dims.d, width = where.dims.heads * where.dims.valueDim;
        const std::int64_t shared = sharedWidth(where, params);
        return d * (width + shared) + (params.at("bias").get<bool>() ? shared + d : 0);
    };
    b.flopsPerToken = [](const BlockContext& where, const Json& params) {
        const std::int64_t width = where.dims.heads * where.dims.valueDim;
        return valueMapFlops(where, params) + 2.0 * static_cast<double>(width * (where.dims.d + where.queryLength()));
    };
    b.flopsOnInput = valueMapFlops;
    b.keptTensors = [](const BlockContext& where, const Json& params) -> KeptTensors {
        const double everyHeads = where.keyBytes(where.dims.heads * where.dims.valueDim);
        return {{everyHeads, jointWeightBytes(where, sharedWidth(where, params))}, "xwm", "", KeptTensors::Form::Fusable};
    };
    b.check = groupsDivideHeads;
    return b;
}

#else

namespace {

class GroupedValue final : public Value, public SteppingValue {
public:
    explicit GroupedValue(const BuildContext& c) : heads_(c.where.dims.heads), groups_(c.params.at("groups")) {
        const std::int64_t width = c.where.dims.valueDim, d = c.where.dims.d;
        const WithBias bias = c.params.at("bias").get<bool>() ? WithBias::Yes : WithBias::No;
        v_ = declareLinear(c.scope / "v", d, groups_ * width, bias);
        out_ = declareLinear(c.scope / "out", heads_ * width, d, bias);
    }

    at::Tensor aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const Adjuster* inner,
                         const Forward& f) const override {
        return merge(headMix(weights_BHQK, heads(x)), inner, f);
    }
    std::vector<const Linear*> maps() const override { return {&v_}; }
    at::Tensor keep(const at::Tensor& x_BKD) const override { return heads(x_BKD); }
    at::Tensor mixKept(const at::Tensor& weights_BHQK, const Kept& kept, const Adjuster* inner,
                       const Forward& f) const override {
        return merge(headMix(weights_BHQK, kept.values_BHKE), inner, f);
    }

    at::Tensor heads(const LinearInput& x) const override { return repeatGroups(splitHeads(x.by(v_), groups_), heads_); }

    at::Tensor merge(const at::Tensor& heads_BHQE, const Adjuster* inner, const Forward& f) const override {
        const at::Tensor merged_BQD = joinHeads(heads_BHQE);
        return out_(inner ? inner->adjust(merged_BQD, f) : merged_BQD);
    }

private:
    std::int64_t heads_, groups_;
    Linear v_, out_;
};

}  // namespace

std::unique_ptr<Block> makeGroupedValue(const BuildContext& context) { return std::make_unique<GroupedValue>(context); }

#endif

}  // namespace heddle
