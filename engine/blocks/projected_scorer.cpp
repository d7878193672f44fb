// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/projected_scorer.h"

#ifdef HEDDLE_MODULES
#include "engine/blocks/heads.h"
#endif

namespace heddle {

namespace {

constexpr const char* kScore = "score";

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeProjectedScorer() {
    BlockDescriptor b;
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q, W_k [H·E,D]; s [B,H,Q,K]";
    b.parameters = {fields::flag("bias", true, "Whether both projections have a bias.")};
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        const std::int64_t width = where.dims.heads * where.dims.keyDim;
        return 2 * (where.dims.d * width + (params.at("bias").get<bool>() ? width : 0));
    };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        const std::int64_t width = where.dims.heads * where.dims.keyDim;
        const std::int64_t keys = where.sequence > 0 ? where.sequence : where.dims.maxLen;
        return 2.0 * static_cast<double>(2 * where.dims.d * width + width * keys);
    };
    b.exposures = {{kScore, "attention score before the mask", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    return b;
}

#else

ProjectedScorer::ProjectedScorer(const BuildContext& c) : path_(c.scope.path()), heads_(c.where.dims.heads) {
    const WithBias bias = c.params.at("bias").get<bool>() ? WithBias::Yes : WithBias::No;
    q_ = declareLinear(c.scope / "q", c.where.dims.d, heads_ * c.where.dims.keyDim, bias);
    k_ = declareLinear(c.scope / "k", c.where.dims.d, heads_ * c.where.dims.keyDim, bias);
}

at::Tensor ProjectedScorer::score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const {
    const Product p = *product(q_BQD, k_BKD);
    return shown(at::matmul(p.q_BHQE * p.scale, p.k_BHKE.transpose(-2, -1)), f);
}

bool ProjectedScorer::isWatched(const Forward& f) const { return f.wants(path_, kScore); }

bool ProjectedScorer::isReplaced(const Forward& f) const { return f.replaces(path_, kScore); }

at::Tensor ProjectedScorer::queries(const at::Tensor& q_BQD) const { return splitHeads(q_(q_BQD), heads_); }

at::Tensor ProjectedScorer::keys(const at::Tensor& k_BKD) const { return splitHeads(k_(k_BKD), heads_); }

at::Tensor ProjectedScorer::shown(const at::Tensor& score_BHQK, const Forward& f) const {
    return f.pass(path_, kScore, score_BHQK);
}

#endif

}  // namespace heddle
