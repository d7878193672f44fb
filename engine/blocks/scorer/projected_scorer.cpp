// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/scorer/projected_scorer.h"

#ifdef HEDDLE_MODULES
#include "engine/kernels/head_products.h"
#endif

namespace heddle {

const OptionFields<BiasOptions>& projectedScorerOptions() {
    static const auto kFields = biasOptions("Whether both projections have a bias.");
    return kFields;
}

#ifndef HEDDLE_MODULES

std::int64_t projectedScorerCount(const BlockContext& where, bool bias, std::int64_t keyHeads) {
    return (where.dims.heads + keyHeads) * where.dims.keyDim * (where.dims.d + (bias ? 1 : 0));
}

double projectedScorerFlops(const BlockContext& where, std::int64_t keyHeads) {
    const std::int64_t heads = where.dims.heads, width = where.dims.keyDim;
    return 2.0 * static_cast<double>(where.dims.d * (heads + keyHeads) * width + heads * width * where.sequenceLength());
}

BlockDescriptor describeProjectedScorer() {
    BlockDescriptor b;
    b.shapes = "q [B,Q,D], k [B,K,D]; W_q [H·E,D], W_k [G·E,D], G = dims.kv_heads; s [B,H,Q,K]";
    b.parameters = projectedScorerOptions().schema();
    b.parameterCount = projectedScorerOptions().on([](const BlockContext& where, const BiasOptions& o) {
        return projectedScorerCount(where, o.bias, where.dims.keyHeads());
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) { return projectedScorerFlops(where, where.dims.keyHeads()); };
    b.exposures = {
        {tap::kScore, "attention score before the mask", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    b.takesKeyHeads = true;
    return b;
}

#else

double scoreScale(const Dims& dims) { return 1 / std::sqrt(static_cast<double>(dims.base().keyDim)) / dims.keyRatio(); }

ProjectedScorer::ProjectedScorer(const BuildContext& c, const BiasOptions& o, const Form& form)
    : path_(c.scope.path()), heads_(c.where.dims.heads), form_(form) {
    const WithBias bias{o.bias};
    q_ = declareLinear(c.scope / "q", c.where.dims.d, heads_ * c.where.dims.keyDim, bias);
    k_ = declareLinear(c.scope / "k", c.where.dims.d, form_.keyHeads * c.where.dims.keyDim, bias);
}

at::Tensor ProjectedScorer::score(const LinearInput& q, const LinearInput& k, const Forward& f) const {
    const at::Tensor k_BHKE = repeatGroups(keys(k, {}), heads_);
    return scoreOf(headScores(queries(q, {}), k_BHKE, form_.scale), {}, f);
}

std::optional<Scorer::Product> ProjectedScorer::product(const LinearInput& q, const LinearInput& k) const {
    if (form_.relative && form_.relative->changesScores()) return std::nullopt;
    at::Tensor q_BHQE = queries(q, {});
    return Product{std::move(q_BHQE), repeatGroups(keys(k, {}), heads_), form_.scale};
}

at::Tensor ProjectedScorer::keep(const at::Tensor& k_BKD, const StepPosition& at) const { return keys(k_BKD, at); }

at::Tensor ProjectedScorer::scoreCached(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& cached_BGKE,
                                        const Forward& f) const {
    return scoreOf(groupedScores(queries(q_BQD, at), cached_BGKE, form_.scale), at, f);
}

at::Tensor ProjectedScorer::queries(const LinearInput& q, const StepPosition& at) const {
    const at::Tensor q_BHQE = normedQueries(splitHeads(q.by(q_), heads_));
    return form_.relative ? form_.relative->placed(q_BHQE, at) : q_BHQE;
}

at::Tensor ProjectedScorer::keys(const LinearInput& k, const StepPosition& at) const {
    const at::Tensor k_BGKE = normedKeys(splitHeads(k.by(k_), form_.keyHeads));
    return form_.relative ? form_.relative->placed(k_BGKE, at) : k_BGKE;
}

at::Tensor ProjectedScorer::scoreOf(const at::Tensor& product_BHQK, const StepPosition& at, const Forward& f) const {
    return f.pass(path_, tap::kScore, form_.relative ? form_.relative->biased(product_BHQK, at) : product_BHQK);
}

at::Tensor ProjectedScorer::normedQueries(const at::Tensor& q_BHQE) const { return q_BHQE; }

at::Tensor ProjectedScorer::normedKeys(const at::Tensor& k_BGKE) const { return k_BGKE; }

bool ProjectedScorer::isWatched(const Forward& f) const { return f.wants(path_, tap::kScore); }

bool ProjectedScorer::isReplaced(const Forward& f) const { return f.replaces(path_, tap::kScore); }

namespace {

class PlacedScorer final : public ProjectedScorer {
public:
    PlacedScorer(const BuildContext& c, const BiasOptions& o, std::unique_ptr<const RelativePosition> relative)
        : ProjectedScorer(c, o, Form{scoreScale(c.where.dims), c.where.dims.keyHeads(), relative.get()}),
          relative_(std::move(relative)) {}

private:
    std::unique_ptr<const RelativePosition> relative_;
};

}  // namespace

std::unique_ptr<Block> makePlacedScorer(const BuildContext& context, const BiasOptions& o,
                                        std::unique_ptr<const RelativePosition> relative) {
    return std::make_unique<PlacedScorer>(context, o, std::move(relative));
}

#endif

}  // namespace heddle
