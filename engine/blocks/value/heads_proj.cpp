// SPDX-License-Identifier: Apache-2.0
// Values per head with an output projection (Vaswani et al. 2017, section 3.2.2):
//   o = W_o [p_1 (W_v x)_1; …; p_H (W_v x)_H] + b_o    shapes in engine/blocks/value/projected_value.h, with G = H
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
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [H·E,D], W_o [D,H·E]; o [B,Q,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.2.2";
    b.parameters = projectedHeadsOptions().schema();
    b.parameterCount = projectedHeadsOptions().on([](const BlockContext& where, const BiasOptions& o) {
        const std::int64_t d = where.dims.d, width = where.dims.heads * where.dims.valueDim;
        return 2 * d * width + (o.bias ? width + d : 0);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        const std::int64_t width = where.dims.heads * where.dims.valueDim;
        return 2.0 * static_cast<double>(2 * where.dims.d * width + width * where.sequenceLength());
    };
    b.isPerHead = true;
    b.hasProjection = true;
    return b;
}

#else

std::unique_ptr<Block> makeHeadsProjectedValue(const BuildContext& context) {
    const WithBias bias{projectedHeadsOptions().read(context.params).bias};
    return std::make_unique<ProjectedValue>(context, context.where.dims.heads, bias);
}

#endif

}  // namespace heddle
