// SPDX-License-Identifier: Apache-2.0
// Values per head without an output projection: the ReZero and Transformer layers as counted by the StarSaber paper
// (variants.md 2.3).
//   o = [p_1 (W_v x)_1; …; p_H (W_v x)_H]    p [B,H,Q,K] attention weights; x [B,K,D]; W_v [H·E,D], H·E = D; o [B,Q,D]
#include "engine/blocks/value/unprojected_value.h"

namespace heddle {

namespace {

const OptionFields<BiasOptions>& unprojectedHeadsOptions() {
    static const auto kFields = biasOptions("Whether the value projection has a bias.");
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeUnprojectedHeadsValue() {
    BlockDescriptor b;
    b.title = "Values per head, not projected";
    b.summary =
        "Multi-head values without output projection (as counted by StarSaber, Xu et al. 2020): concatenates the weighted "
        "values of all heads.";
    b.formulaOf = unprojectedHeadsOptions().reading([](const BiasOptions& o) -> std::string {
        return o.bias ? "o = [p₁ (W_v x + b_v)₁; …; p_H (W_v x + b_v)_H]" : "o = [p₁ (W_v x)₁; …; p_H (W_v x)_H]";
    });
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [D,D], H·E = D; o [B,Q,D]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), table 1 (the counts of ReZero and Transformer)";
    b.parameters = unprojectedHeadsOptions().schema();
    b.parameterCount = unprojectedHeadsOptions().on([](const BlockContext& where, const BiasOptions& o) {
        return where.dims.d * where.dims.d + (o.bias ? where.dims.d : 0);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(where.dims.d * (where.dims.d + where.sequenceLength()));
    };
    b.check = [](const BlockContext& where, const Json&) { return headsFillTheWidth(where); };
    b.isPerHead = true;
    return b;
}

#else

std::unique_ptr<Block> makeUnprojectedHeadsValue(const BuildContext& c) {
    const WithBias bias{unprojectedHeadsOptions().read(c.params).bias};
    const std::int64_t d = c.where.dims.d;
    return std::make_unique<UnprojectedValue<Linear> >(c, declareLinear(c.scope / "v", d, d, bias));
}

#endif

}  // namespace heddle
