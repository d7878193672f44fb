// SPDX-License-Identifier: Apache-2.0
// Scores of grouped-query attention (Ainslie et al. 2023, section 2.2; Shazeer 2019 with one group): the scaled dot product
// whose H query heads share the keys of G groups of heads,
//   s_h = (W_q q)_h · (W_k k)_g / √E,  g = ⌊h G / H⌋
// q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D]; s [B,H,Q,K]. With G = H it is the plain dot product.
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

namespace {

/// Width of queries and keys together.
std::int64_t projectedWidth(const BlockContext& where, const GroupedScorerOptions& o) {
    return (where.dims.heads + o.groups) * where.dims.keyDim;
}

double keyMapFlops(const BlockContext& where, const GroupedScorerOptions& o) {
    return 2.0 * static_cast<double>(where.dims.d * projectedWidth(where, o));
}

}  // namespace

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
    b.parameterCount = groupedScorerOptions().on([](const BlockContext& where, const GroupedScorerOptions& o) {
        return projectedWidth(where, o) * (where.dims.d + (o.bias ? 1 : 0));
    });
    b.flopsPerToken = groupedScorerOptions().on([](const BlockContext& where, const GroupedScorerOptions& o) {
        return keyMapFlops(where, o) + 2.0 * static_cast<double>(where.dims.heads * where.dims.keyDim * where.sequenceLength());
    });
    b.check = groupedScorerOptions().on(groupsDivideHeads);
    b.isPerHead = true;
    return b;
}

#else

namespace {

class GroupedScorer final : public ProjectedScorer {
public:
    GroupedScorer(const BuildContext& c, const GroupedScorerOptions& o)
        : ProjectedScorer(c, o, 1 / std::sqrt(static_cast<double>(c.where.dims.keyDim)), o.groups) {}

    std::optional<Product> product(const LinearInput& q, const LinearInput& k) const override { return factors(q, k); }
};

}  // namespace

std::unique_ptr<Block> makeGroupedScorer(const BuildContext& context) {
    return std::make_unique<GroupedScorer>(context, groupedScorerOptions().read(context.params));
}

#endif

}  // namespace heddle
