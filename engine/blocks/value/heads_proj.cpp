// SPDX-License-Identifier: Apache-2.0
// Values per head with an output projection (Vaswani et al. 2017, section 3.2.2):
//   o = W_o [p_1 (W_v x)_1; …; p_H (W_v x)_H] + b_o    shapes, and the norm of values, in engine/blocks/value/projected_value.h
#include "engine/blocks/value/projected_value.h"

namespace heddle {

namespace {

struct ProjectedHeadsOptions : BiasOptions {
    bool norm = false;
    double normEps = 0;
};

const OptionFields<ProjectedHeadsOptions>& projectedHeadsOptions() {
    static const auto kFields =
        OptionFields<ProjectedHeadsOptions>()
            .add(biasOptions("Whether both projections have a bias."))
            .add(&ProjectedHeadsOptions::norm,
                 fields::flag("norm", false,
                              "Whether RMSNorm brings the values of every head to one length before the weights mix them, with "
                              "a gain for each head of values; after slot value_carry."))
            .add(&ProjectedHeadsOptions::normEps,
                 fields::number("norm_eps", 1e-6, {1e-15, 1}, "ε of the norm, added to the mean square of a value."));
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
    b.formulaOf = projectedHeadsOptions().reading([](const ProjectedHeadsOptions& o) -> std::string {
        const std::string v = o.bias ? "(W_v x + b_v)" : "(W_v x)";
        const auto mixed = [&](const std::string& h) { return "p" + h + " " + (o.norm ? "N" + h + "(" + v + h + ")" : v + h); };
        return "o = W_o [" + mixed("₁") + "; …; " + mixed("_H") + "]" + partIf(o.bias, " + b_o") +
               partIf(o.norm, ", N_h(z) = γ_h ⊙ z / √(mean(z²) + ε)");
    });
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [G·E,D], G = dims.kv_heads, W_o [D,H·E]; o [B,Q,D]; γ [G·E]";
    b.reference =
        "Vaswani et al. 2017 (arXiv 1706.03762), section 3.2.2; Ainslie et al. 2023 (GQA, arXiv 2305.13245), section 2.2, for "
        "fewer heads of values; the norm is attn_value_rmsnorm of x-transformers";
    b.parameters = projectedHeadsOptions().schema();
    b.parameterCount = projectedHeadsOptions().on([](const BlockContext& where, const ProjectedHeadsOptions& o) {
        const std::int64_t groups = where.dims.keyHeads();
        return projectedValueCount(where, o.bias, groups) + (o.norm ? groups * where.dims.valueDim : 0);
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) { return projectedValueFlops(where, where.dims.keyHeads()); };
    b.isPerHead = b.takesKeyHeads = true;
    b.hasProjection = true;
    return b;
}

#else

std::unique_ptr<Block> makeHeadsProjectedValue(const BuildContext& context) {
    const ProjectedHeadsOptions o = projectedHeadsOptions().read(context.params);
    ProjectedValue::Form form{context.where.dims.keyHeads(), WithBias{o.bias}};
    if (o.norm) form.normEps = o.normEps;
    return std::make_unique<ProjectedValue>(context, form);
}

#endif

}  // namespace heddle
