// SPDX-License-Identifier: Apache-2.0
// SparseK (Lou et al. 2024, "Sparser is Faster and Less is More", section 3.2; named in the thesis, section 9.1; variants.md
// 5.1): the projection of a row of scores onto {m : 0 ≤ m ≤ 1, Σ m = k}, a differentiable selection of k keys,
//   m = min(1, [z − τ]₊)    τ such that Σ m = k        p = m / k        z, m, p [B,H,Q,K]
// With k = 1 it is sparsemax. Rows with fewer than k visible keys use all of them: k is then their number.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/running_sum.h"
#endif

namespace heddle {

namespace {

struct SparseKOptions {
    std::int64_t k = 0;
};

const OptionFields<SparseKOptions>& sparseKOptions() {
    static const auto kFields = OptionFields<SparseKOptions>().add(
        &SparseKOptions::k, fields::integer("k", 4, {1, 1 << 20}, "Number of keys chosen per query; 1: sparsemax."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeSparseKNormaliser() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "SparseK";
    b.summary =
        "SparseK (Lou et al. 2024): a differentiable top-k selection that gives no key more than 1/k of the weight and most "
        "keys exactly 0.";
    b.formula = "p = min(1, [z − τ]₊) / k, τ such that Σ p = 1";
    b.shapes = "z, p [B,H,Q,K]";
    b.reference = "Lou et al. 2024 (arXiv 2406.16747), section 3.2; thesis, section 9.1";
    b.parameters = sparseKOptions().schema();
    return b;
}

#else

namespace {

/// Which keys have a weight between 0 and 1, and which have 1.
struct Parts {
    at::Tensor between, full;
};

/// Σ_k [z_k − t]₊ for every t; z is ascending, `above` holds its suffix sums followed by 0.
at::Tensor excess(const at::Tensor& z_RK, const at::Tensor& above, const at::Tensor& t) {
    const at::Tensor place = at::searchsorted(z_RK, t, false, true);
    return above.gather(-1, place) - t * (z_RK.size(-1) - place);
}

/// Σ m decreases piecewise linearly in τ with corners at every z and z − 1. In the piece that contains k the parts are
/// constant.
Parts partsOf(const at::Tensor& z_RK, const at::Tensor& k_R1) {
    const at::NoGradGuard noGrad;
    const at::Tensor sorted_RK = std::get<0>(z_RK.sort(-1));
    const at::Tensor sums_RK = runningSum(sorted_RK.flip({-1})).flip({-1});
    const at::Tensor above = at::cat({sums_RK, at::zeros_like(k_R1)}, -1);
    const at::Tensor corners = std::get<0>(at::cat({sorted_RK - 1, sorted_RK}, -1).sort(-1));
    const at::Tensor total = excess(sorted_RK, above, corners) - excess(sorted_RK, above, corners + 1);
    const at::Tensor passed = total.ge(k_R1).sum(-1, true);  // number of corners with Σ m ≥ k
    const at::Tensor low = corners.gather(-1, (passed - 1).clamp_min(0));
    const at::Tensor high = corners.gather(-1, passed.clamp_max(corners.size(-1) - 1));
    const at::Tensor middle = (low + high) / 2;
    const at::Tensor full = z_RK.ge(middle + 1);
    return {z_RK.gt(middle).logical_and(full.logical_not()), full};
}

class SparseKNormaliser final : public Normaliser {
public:
    explicit SparseKNormaliser(const SparseKOptions& o) : k_(o.k) {}

    at::Tensor normalise(const at::Tensor& logits_BHQK) const override {
        // Half precision is too coarse for the sums below.
        const bool isWide = logits_BHQK.scalar_type() == at::kDouble || logits_BHQK.scalar_type() == at::kFloat;
        const at::Tensor logits_RK = (isWide ? logits_BHQK : logits_BHQK.to(at::kFloat)).flatten(0, -2);
        const at::Tensor top_R1 = logits_RK.detach().amax(-1, true);
        // Moves hidden keys so far below the visible ones that they get weight 0. A row without visible keys gets equal
        // weights.
        const at::Tensor isHidden_RK = logits_RK.le(kHiddenScore / 2).logical_and(top_R1.gt(kHiddenScore / 2));
        const at::Tensor k_R1 = isHidden_RK.logical_not().sum(-1, true).clamp_max(k_).to(logits_RK.scalar_type());
        const at::Tensor shifted_RK = (logits_RK - top_R1).masked_fill(isHidden_RK, 0);
        const at::Tensor z_RK = shifted_RK + isHidden_RK * (shifted_RK.detach().amin(-1, true) - 2);
        const auto [between, full] = partsOf(z_RK.detach(), k_R1);
        const at::Tensor count = between.sum(-1, true).clamp_min(1);
        const at::Tensor rest = k_R1 - full.sum(-1, true);
        const at::Tensor tau = (z_RK.masked_fill(between.logical_not(), 0).sum(-1, true) - rest) / count;
        const at::Tensor m_RK = (z_RK - tau).clamp(0, 1).masked_fill(between.logical_not(), 0).masked_fill(full, 1);
        return (m_RK / k_R1).masked_fill(isHidden_RK, 0).view(logits_BHQK.sizes());
    }

private:
    std::int64_t k_;
};

}  // namespace

std::unique_ptr<Block> makeSparseKNormaliser(const BuildContext& context) {
    return std::make_unique<SparseKNormaliser>(sparseKOptions().read(context.params));
}

#endif

}  // namespace heddle
