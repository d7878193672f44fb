// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/heads.h"

#ifdef HEDDLE_MODULES
#include "engine/kernels/head_products.h"
#endif

namespace heddle {

const OptionFields<HeadGroupOptions>& headGroupOptions() {
    static const auto kFields = OptionFields<HeadGroupOptions>().add(
        &HeadGroupOptions::groups,
        fields::integer("groups", 1, {1, 1024}, "Number of groups of query heads; 1: multi-query attention."));
    return kFields;
}

#ifdef HEDDLE_MODULES

at::Tensor splitHeads(const at::Tensor& x_BSD, std::int64_t heads) {
    return x_BSD.view({x_BSD.size(0), x_BSD.size(1), heads, x_BSD.size(2) / heads}).transpose(1, 2);
}

at::Tensor joinHeads(const at::Tensor& x_BHSE) {
    return x_BHSE.transpose(1, 2).reshape({x_BHSE.size(0), x_BHSE.size(2), x_BHSE.size(1) * x_BHSE.size(3)});
}

at::Tensor repeatGroups(const at::Tensor& x_BGSE, std::int64_t heads) {
    const std::int64_t groups = x_BGSE.size(1);
    if (groups == heads) return x_BGSE;
    return x_BGSE.unsqueeze(2).expand({-1, -1, heads / groups, -1, -1}).flatten(1, 2);
}

at::Tensor groupedScores(const at::Tensor& q_BHQE, const at::Tensor& k_BGKE, double scale) {
    const std::int64_t heads = q_BHQE.size(1), groups = k_BGKE.size(1), queries = q_BHQE.size(2), keys = k_BGKE.size(2);
    if (groups == heads) return headScores(q_BHQE, k_BGKE, scale);
    const at::Tensor q_BGRE = q_BHQE.reshape({q_BHQE.size(0), groups, heads / groups * queries, q_BHQE.size(3)});
    return headScores(q_BGRE, k_BGKE, scale).reshape({q_BHQE.size(0), heads, queries, keys});
}

at::Tensor groupedMix(const at::Tensor& weights_BHQK, const at::Tensor& v_BGKE) {
    const std::int64_t heads = weights_BHQK.size(1), groups = v_BGKE.size(1), queries = weights_BHQK.size(2);
    if (groups == heads) return headMix(weights_BHQK, v_BGKE);
    const at::Tensor weights_BGRK =
        weights_BHQK.reshape({weights_BHQK.size(0), groups, heads / groups * queries, weights_BHQK.size(3)});
    return headMix(weights_BGRK, v_BGKE).reshape({weights_BHQK.size(0), heads, queries, v_BGKE.size(3)});
}

#else

std::optional<Problem> groupsDivideHeads(const BlockContext& where, const HeadGroupOptions& o) {
    if (where.dims.heads % o.groups == 0) return std::nullopt;
    return Problem{"groups", std::to_string(o.groups) + " groups do not divide " + std::to_string(where.dims.heads) + " heads",
                   "choose a number of groups that divides dims.heads"};
}

#endif

}  // namespace heddle
