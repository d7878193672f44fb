// SPDX-License-Identifier: Apache-2.0
// Values with an output projection: H heads mix the values of G groups and are projected back to the model width,
//   o = W_o [p_1 v_g(1); …; p_H v_g(H)] + b_o,  v = W_v x + b_v,  g(h) = ⌊h G / H⌋
// p [B,H,Q,K] attention weights; x [B,K,D]; W_v [G·E,D], W_o [D,H·E]; o [B,Q,D]; E is the value width of a head
// (Vaswani et al. 2017, section 3.2.2; with G < H Ainslie et al. 2023, section 2.2).
#pragma once

#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/connections.h"
#include "engine/blocks/incremental.h"
#include "engine/kernels/head_products.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

/// Number of parameters, and FLOPs for a token, with this many heads of values.
inline std::int64_t projectedValueCount(const BlockContext& where, bool bias, std::int64_t valueHeads) {
    const std::int64_t d = where.dims.d, width = where.dims.valueDim;
    return d * (where.dims.heads + valueHeads) * width + (bias ? valueHeads * width + d : 0);
}
inline double projectedValueFlops(const BlockContext& where, std::int64_t valueHeads) {
    const std::int64_t heads = where.dims.heads, width = where.dims.valueDim;
    return 2.0 * static_cast<double>(where.dims.d * (heads + valueHeads) * width + heads * width * where.sequenceLength());
}

#else

class ProjectedValue final : public Value, public IncrementalValue {
public:
    ProjectedValue(const BuildContext& c, std::int64_t groups, WithBias bias)
        : path_(c.scope.path()), heads_(c.where.dims.heads), groups_(groups) {
        const std::int64_t width = c.where.dims.valueDim, d = c.where.dims.d;
        v_ = declareLinear(c.scope / "v", d, groups_ * width, bias);
        out_ = declareLinear(c.scope / "out", heads_ * width, d, bias);
    }

    at::Tensor aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const InnerAdjuster* inner,
                         const Forward& f) const override {
        return merge(headMix(weights_BHQK, heads(x)), inner, f);
    }
    std::vector<const Linear*> maps() const override { return {&v_}; }
    at::Tensor keep(const at::Tensor& x_BKD) const override { return splitHeads(v_(x_BKD), groups_); }
    at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const InnerAdjuster* inner,
                         const Forward& f) const override {
        return merge(groupedMix(weights_BHQK, cached.values_BGKE), inner, f);
    }
    at::Tensor heads(const LinearInput& x) const override { return repeatGroups(splitHeads(x.by(v_), groups_), heads_); }
    at::Tensor merge(const at::Tensor& heads_BHQE, const InnerAdjuster* inner, const Forward& f) const override {
        const at::Tensor merged_BQD = joinHeads(f.pass(path_, kHeadOutput, heads_BHQE));
        return out_(inner ? inner->adjust(merged_BQD, f) : merged_BQD);
    }

private:
    std::string path_;
    std::int64_t heads_, groups_;
    Linear v_, out_;
};

#endif

}  // namespace heddle
