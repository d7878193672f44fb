// SPDX-License-Identifier: Apache-2.0
// Values per head with an output projection (Vaswani et al. 2017, section 3.2.2):
//   o = W_o [p_1 (W_v x)_1; …; p_H (W_v x)_H] + b_o    shapes in engine/blocks/value/projected_value.h
#include "engine/blocks/value/projected_value.h"

namespace heddle {

namespace {

const OptionFields<BiasOptions>& projectedHeadsOptions() {
    static const auto kFields = biasOptions("Whether both projections have a bias.");
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeHeadsProjectedValue() {
    BlockDescriptor b;
    b.title = "Values per head, projected";
    b.summary =
        "Multi-head values (Vaswani et al. 2017): concatenates the weighted values of all heads and applies the output "
        "projection.";
    b.formulaOf = projectedHeadsOptions().reading([](const BiasOptions& o) -> std::string {
        return o.bias ? "o = W_o [p₁ (W_v x + b_v)₁; …; p_H (W_v x + b_v)_H] + b_o" : "o = W_o [p₁ (W_v x)₁; …; p_H (W_v x)_H]";
    });
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [G·E,D], G = dims.kv_heads, W_o [D,H·E]; o [B,Q,D]";
    b.reference =
        "Vaswani et al. 2017 (arXiv 1706.03762), section 3.2.2; Ainslie et al. 2023 (GQA, arXiv 2305.13245), section 2.2, for "
        "fewer heads of values";
    b.parameters = projectedHeadsOptions().schema();
    b.parameterCount = projectedHeadsOptions().on([](const BlockContext& where, const BiasOptions& o) {
        return projectedValueCount(where, o.bias, where.dims.keyHeads());
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) { return projectedValueFlops(where, where.dims.keyHeads()); };
    b.isPerHead = b.takesKeyHeads = true;
    b.hasProjection = true;
    return b;
}

#else

std::unique_ptr<Block> makeHeadsProjectedValue(const BuildContext& context) {
    const WithBias bias{projectedHeadsOptions().read(context.params).bias};
    return std::make_unique<ProjectedValue>(context, context.where.dims.keyHeads(), bias);
}

#endif

}  // namespace heddle
