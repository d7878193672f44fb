// SPDX-License-Identifier: Apache-2.0
// The norm inside a feed-forward network (NormFormer, Shleifer et al. 2021): LN(h) = γ ⊙ (h − μ) / √(σ² + ε) + β of the hidden
// values h [B,S,F], before the last map; γ, β [F], 1 and 0 at the start.
#pragma once

#include "engine/blocks/block_file.h"

#include <cstdint>
#include <string>

namespace heddle {

enum class InnerNorm { None, LayerNorm, LayerNormNoBias };
template <>
struct ChoiceWords<InnerNorm> {
    static constexpr ChoiceWord<InnerNorm> kAll[] = {
        {"none", InnerNorm::None}, {"layernorm", InnerNorm::LayerNorm}, {"layernorm_no_bias", InnerNorm::LayerNormNoBias}};
};

/// The option `inner_norm`.
inline FieldSchema innerNormField() {
    return fields::choice<InnerNorm>(
        "inner_norm",
        "Layer normalisation of the hidden values before dropout and the last map, as in NormFormer, or without its shift "
        "(layernorm_no_bias).");
}

#ifndef HEDDLE_MODULES

inline std::int64_t innerNormCount(const BlockContext& where, InnerNorm norm) {
    if (norm == InnerNorm::None) return 0;
    return where.dims.f * (norm == InnerNorm::LayerNorm ? 2 : 1);
}

/// The hidden values as the last map reads them, in a formula; `hidden` is an expression without a sum.
inline std::string innerNormed(InnerNorm norm, const std::string& hidden) {
    return norm == InnerNorm::None ? hidden : "LN(" + hidden + ")";
}

/// What LN means, at the end of a formula.
inline std::string innerNormMeaning(InnerNorm norm) {
    if (norm == InnerNorm::None) return "";
    return ", LN(h) = γ ⊙ (h − μ) / √(σ² + ε)" + partIf(norm == InnerNorm::LayerNorm, " + β");
}

#else

/// The norm as a module; without one the identity.
class InnerNormMap {
public:
    InnerNormMap(const BuildContext& c, InnerNorm norm) {
        constexpr double kEps = 1e-5;
        if (norm == InnerNorm::None) return;
        norm_ = declareLayerNorm(c.scope / "norm", c.where.dims.f, kEps, WithBias{norm == InnerNorm::LayerNorm});
    }

    bool isThere() const { return norm_.weight_D.defined(); }
    at::Tensor operator()(const at::Tensor& h_BSF) const { return isThere() ? norm_(h_BSF) : h_BSF; }

private:
    LayerNormMap norm_;
};

#endif

}  // namespace heddle
