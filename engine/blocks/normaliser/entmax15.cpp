// SPDX-License-Identifier: Apache-2.0
// 1.5-entmax (Peters, Niculae and Martins 2019, "Sparse Sequence-to-Sequence Models", eq. 6 and algorithm 2; following the
// thesis, section 9.1; variants.md 5.1): p = [z/2 − τ]₊² with the one τ for which a row sums to 1; z, p [B,H,Q,K]. Between
// softmax and sparsemax: sufficiently low scores get exactly 0.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/running_sum.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeEntmax15Normaliser() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "1.5-entmax";
    b.summary =
        "1.5-entmax (Peters et al. 2019): a sparse alternative to softmax that gives keys with low scores a weight of exactly "
        "0.";
    b.formula = "p = [z/2 − τ]₊², τ such that Σ p = 1";
    b.shapes = "z, p [B,H,Q,K]";
    b.reference = "Peters, Niculae and Martins 2019 (arXiv 1905.05702), eq. 6 and algorithm 2; thesis, section 9.1";
    return b;
}

#else

namespace {

/// The τ for which Σ (x − τ)² = 1 over the values in the support.
at::Tensor threshold(const at::Tensor& sum, const at::Tensor& squares, const at::Tensor& count) {
    const at::Tensor mean = sum / count;
    return mean - ((1 - (squares - sum * mean)) / count).clamp_min(0).sqrt();
}

class Entmax15Normaliser final : public Normaliser {
public:
    at::Tensor normalise(const at::Tensor& logits_BHQK) const override {
        // Half precision is too coarse for the sums below.
        const bool isWide = logits_BHQK.scalar_type() == at::kDouble || logits_BHQK.scalar_type() == at::kFloat;
        const at::Tensor z_BHQK = isWide ? logits_BHQK : logits_BHQK.to(at::kFloat);
        // τ is in [−1, 0) relative to the maximum, so values below −1 get weight 0 and may be clamped.
        const at::Tensor x_BHQK = ((z_BHQK - z_BHQK.detach().amax(-1, true)) / 2).clamp_min(-2);
        const at::Tensor inSupport_BHQK = support(x_BHQK.detach());
        const at::Tensor supported_BHQK = x_BHQK.masked_fill(inSupport_BHQK.logical_not(), 0);
        const at::Tensor count = inSupport_BHQK.sum(-1, true).to(x_BHQK.scalar_type());
        const at::Tensor tau = threshold(supported_BHQK.sum(-1, true), supported_BHQK.square().sum(-1, true), count);
        return (x_BHQK - tau).square().masked_fill(inSupport_BHQK.logical_not(), 0);
    }

private:
    /// The keys with a positive weight: the r largest, for the largest r whose smallest value exceeds its τ.
    static at::Tensor support(const at::Tensor& x_BHQK) {
        const at::NoGradGuard noGrad;
        const at::Tensor sorted_BHQK = std::get<0>(x_BHQK.sort(-1, true));
        const at::Tensor ranks_K = at::arange(1, x_BHQK.size(-1) + 1, x_BHQK.options());
        const at::Tensor tau_BHQK = threshold(runningSum(sorted_BHQK), runningSum(sorted_BHQK.square()), ranks_K);
        const at::Tensor last = (tau_BHQK.le(sorted_BHQK).sum(-1, true) - 1).clamp_min(0);
        return x_BHQK.gt(tau_BHQK.gather(-1, last));
    }
};

}  // namespace

std::unique_ptr<Block> makeEntmax15Normaliser(const BuildContext&) { return std::make_unique<Entmax15Normaliser>(); }

#endif

}  // namespace heddle
