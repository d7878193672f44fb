// SPDX-License-Identifier: Apache-2.0
// Grouped-query attention, its scores (Ainslie et al. 2023, section 2.2; Shazeer 2019 with one group): the scaled dot product
// whose H query heads share the keys of G groups of heads,
//   s_h = (W_q q)_h · (W_k k)_g / √E,  g = ⌊h G / H⌋
// q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D]; s [B,H,Q,K]. With G = H it is the plain dot product.
#include "engine/blocks/projected_scorer.h"

namespace heddle {

#ifndef HEDDLE_MODULES

namespace {

/// Width of queries and keys together.
std::int64_t projectedWidth(const BlockContext& where, const Json& params) {
    return (where.dims.heads + params.at("groups").get<std::int64_t>()) * where.dims.keyDim;
}

double keyMapFlops(const BlockContext& where, const Json& params) {
    return 2.0 * static_cast<double>(where.dims.d * projectedWidth(where, params));
}

}  // namespace

BlockDescriptor describeGroupedScorer() {
    BlockDescriptor b = describeProjectedScorer();
    b.title = "Grouped-query dot product";
    b.summary = "A scaled dot product in which groups of query heads share their keys.";
    b.formula = "s_h = (W_q q + b_q)_h · (W_k k + b_k)_g / √d_k, g = ⌊h G / H⌋";
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D]; s [B,H,Q,K]";
    b.reference = "Ainslie et al. 2023 (GQA), section 2.2; Shazeer 2019 (one group); use with value grouped";
    b.parameters.push_back(headGroups());
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        return projectedWidth(where, params) * (where.dims.d + (params.at("bias").get<bool>() ? 1 : 0));
    };
    b.flopsPerToken = [](const BlockContext& where, const Json& params) {
        return keyMapFlops(where, params) +
               2.0 * static_cast<double>(where.dims.heads * where.dims.keyDim * where.queryLength());
    };
    b.flopsOnInput = keyMapFlops;
    b.check = groupsDivideHeads;
    return b;
}

#else

namespace {

class GroupedScorer final : public ProjectedScorer {
public:
    explicit GroupedScorer(const BuildContext& c)
        : ProjectedScorer(c, 1 / std::sqrt(static_cast<double>(c.where.dims.keyDim)), c.params.at("groups")) {}

    std::optional<Product> product(const LinearInput& q, const LinearInput& k) const override { return factors(q, k); }
};

}  // namespace

std::unique_ptr<Block> makeGroupedScorer(const BuildContext& context) { return std::make_unique<GroupedScorer>(context); }

#endif

}  // namespace heddle
