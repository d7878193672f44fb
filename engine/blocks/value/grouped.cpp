// SPDX-License-Identifier: Apache-2.0
// Values of grouped-query attention (Ainslie et al. 2023, section 2.2; Shazeer 2019 with one group): H heads mix the values of
// G groups. Formula and shapes in engine/blocks/value/projected_value.h. It is value "heads_proj" under the name that it had
// before dims.kv_heads stated G.
#include "engine/blocks/value/projected_value.h"

namespace heddle {

namespace {

struct GroupedValueOptions : BiasOptions, HeadGroupOptions {};

const OptionFields<GroupedValueOptions>& groupedValueOptions() {
    static const auto kFields =
        OptionFields<GroupedValueOptions>().add(biasOptions("Whether both projections have a bias.")).add(headGroupOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeGroupedValue() {
    BlockDescriptor b;
    b.title = "Grouped values, projected";
    b.summary =
        "Grouped-query values (Ainslie et al. 2023): each group of heads shares one value projection, followed by an output "
        "projection.";
    b.formulaOf = groupedValueOptions().reading([](const GroupedValueOptions& o) -> std::string {
        return "o = W_o [p₁ v_g(1); …; p_H v_g(H)]" + partIf(o.bias, " + b_o") + ", v = W_v x" + partIf(o.bias, " + b_v") +
               ", g(h) = ⌊h G / H⌋";
    });
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [G·E,D], W_o [D,H·E]; o [B,Q,D]";
    b.reference =
        "Ainslie et al. 2023 (GQA, arXiv 2305.13245), section 2.2; Shazeer 2019 (one group, arXiv 1911.02150); use with scorer "
        "grouped";
    b.parameters = groupedValueOptions().schema();
    b.parameterCount = groupedValueOptions().on(
        [](const BlockContext& where, const GroupedValueOptions& o) { return projectedValueCount(where, o.bias, o.groups); });
    b.flopsPerToken = groupedValueOptions().on(
        [](const BlockContext& where, const GroupedValueOptions& o) { return projectedValueFlops(where, o.groups); });
    b.reading = "The same as value heads_proj with dims.kv_heads, which newer variants use.";
    b.check = groupedValueOptions().on(groupsDivideHeads);
    b.isPerHead = true;
    b.hasProjection = true;
    return b;
}

#else

std::unique_ptr<Block> makeGroupedValue(const BuildContext& context) {
    const GroupedValueOptions o = groupedValueOptions().read(context.params);
    return std::make_unique<ProjectedValue>(context, ProjectedValue::Form{o.groups, WithBias{o.bias}});
}

#endif

}  // namespace heddle
