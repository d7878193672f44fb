// SPDX-License-Identifier: Apache-2.0
// Values with an output projection: H heads mix the values of G groups and are projected back to the model width,
//   o = W_o [p_1 v_g(1); …; p_H v_g(H)] + b_o,  v = W_v x + b_v,  g(h) = ⌊h G / H⌋
// p [B,H,Q,K] attention weights; x [B,K,D]; W_v [G·E,D], W_o [D,H·E]; o [B,Q,D]; E is the value width of a head
// (Vaswani et al. 2017, section 3.2.2; with G < H Ainslie et al. 2023, section 2.2).
// With a norm N_g(v_g) stands in place of v_g, N_g(z) = γ_g ⊙ z / √(mean(z²) + ε), the mean over the E components; γ [G·E].
// It follows a value residual (slot value_carry), as in x-transformers.
#pragma once

#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/connections.h"
#include "engine/blocks/incremental.h"
#include "engine/kernels/head_products.h"

#include <optional>
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
    struct Form {
        std::int64_t groups = 0;
        WithBias bias = WithBias::Yes;
        std::optional<double> normEps = {};  ///< nothing: no norm
    };

    ProjectedValue(const BuildContext& c, const Form& form)
        : path_(c.scope.path()), heads_(c.where.dims.heads), groups_(form.groups) {
        const std::int64_t width = c.where.dims.valueDim, d = c.where.dims.d;
        v_ = declareLinear(c.scope / "v", d, groups_ * width, form.bias);
        out_ = declareBranchEnd(c.scope / "out", heads_ * width, d, form.bias);
        if (!form.normEps) return;
        gain_ = c.scope.declare("gain", {groups_ * width}, {Initial::Kind::Ones});
        eps_ = *form.normEps;
    }

    BiasedProduct aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const InnerAdjuster* inner,
                            const Forward& f) const override {
        return merge(headMix(weights_BHQK, normedValues(heads(x))), inner, f);
    }
    std::vector<const Linear*> maps() const override { return {&v_}; }
    at::Tensor keep(const at::Tensor& x_BKD) const override { return splitHeads(v_(x_BKD), groups_); }
    at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const InnerAdjuster* inner,
                         const Forward& f) const override {
        return merge(groupedMix(weights_BHQK, cached.values_BGKE), inner, f);
    }
    at::Tensor heads(const LinearInput& x) const override { return repeatGroups(splitHeads(x.by(v_), groups_), heads_); }
    /// In float32 where the values are bfloat16, whose squares would lose half of their digits.
    at::Tensor normedValues(const at::Tensor& v_BGKE) const override {
        if (!gain_.defined()) return v_BGKE;
        const bool isShort = v_BGKE.scalar_type() == at::kBFloat16;
        const at::Tensor v = isShort ? v_BGKE.to(at::kFloat) : v_BGKE;
        const at::Tensor gain_1G1E = repeatGroups(gain_.view({1, groups_, 1, v.size(3)}), v.size(1));
        const at::Tensor normed_BGKE = gain_1G1E * v * (v.square().mean(-1, true) + eps_).rsqrt();
        return isShort ? normed_BGKE.to(at::kBFloat16) : normed_BGKE;
    }
    BiasedProduct merge(const at::Tensor& heads_BHQE, const InnerAdjuster* inner, const Forward& f) const override {
        const at::Tensor merged_BQD = joinHeads(f.pass(path_, kHeadOutput, heads_BHQE));
        return out_.product(inner ? inner->adjust(merged_BQD, f) : merged_BQD);
    }

private:
    std::string path_;
    std::int64_t heads_, groups_;
    Linear v_, out_;
    at::Tensor gain_;  ///< γ; undefined: no norm
    double eps_ = 0;
};

#endif

}  // namespace heddle
