// SPDX-License-Identifier: Apache-2.0
// Scores of grouped-query attention (Ainslie et al. 2023, section 2.2; Shazeer 2019 with one group): the scaled dot product
// whose H query heads share the keys of G groups of heads,
//   s_h = (W_q q)_h · (W_k k)_g / √E,  g = ⌊h G / H⌋    shapes in engine/blocks/scorer/projected_scorer.h
// It is scorer "dot" under the name that it had before dims.kv_heads stated G.
#include "engine/blocks/scorer/projected_scorer.h"

namespace heddle {

namespace {

struct GroupedScorerOptions : BiasOptions, HeadGroupOptions {};

const OptionFields<GroupedScorerOptions>& groupedScorerOptions() {
    static const auto kFields = OptionFields<GroupedScorerOptions>().add(projectedScorerOptions()).add(headGroupOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeGroupedScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Grouped-query dot product";
    b.summary =
        "Grouped-query attention (Ainslie et al. 2023): scaled dot-product scores with one key projection per group of query "
        "heads.";
    b.formulaOf = groupedScorerOptions().reading([](const GroupedScorerOptions& o) -> std::string {
        return (o.bias ? "s_h = (W_q q + b_q)_h · (W_k k + b_k)_g / √d_k" : "s_h = (W_q q)_h · (W_k k)_g / √d_k") +
               std::string(", g = ⌊h G / H⌋");
    });
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D]; s [B,H,Q,K]";
    b.reference =
        "Ainslie et al. 2023 (GQA, arXiv 2305.13245), section 2.2; Shazeer 2019 (one group, arXiv 1911.02150); use with value "
        "grouped";
    b.parameters = groupedScorerOptions().schema();
    b.parameterCount = groupedScorerOptions().on(
        [](const BlockContext& where, const GroupedScorerOptions& o) { return projectedScorerCount(where, o.bias, o.groups); });
    b.flopsPerToken = groupedScorerOptions().on(
        [](const BlockContext& where, const GroupedScorerOptions& o) { return projectedScorerFlops(where, o.groups); });
    b.reading = "The same as scorer dot with dims.kv_heads, which newer variants use and which value heads_proj obeys, too.";
    b.check = groupedScorerOptions().on(groupsDivideHeads);
    b.isPerHead = b.takesRelative = true;
    b.takesKeyHeads = false;
    return b;
}

#else

std::unique_ptr<Block> makeGroupedScorer(const BuildContext& context) {
    const GroupedScorerOptions o = groupedScorerOptions().read(context.params);
    const ProjectedScorer::Form form{scoreScale(context.where.dims), o.groups, context.relative};
    return std::make_unique<ProjectedScorer>(context, o, form);
}

#endif

}  // namespace heddle
