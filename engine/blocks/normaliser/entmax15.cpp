// SPDX-License-Identifier: Apache-2.0
// 1.5-entmax (Peters, Niculae and Martins 2019, "Sparse Sequence-to-Sequence Models", eq. 6 and algorithm 2; in the direction
// of the thesis, section 9.1; variants.md 5.1): p = [z/2 − τ]₊² with the one τ for which a row sums to 1; z, p [B,H,Q,K].
// Between softmax and sparsemax: far lower scores get exactly 0.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/running_sum.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeEntmax15Normaliser() {
    BlockDescriptor b;
    b.title = "1.5-entmax";
    b.summary = "Keys whose score is far below the others get exactly 0, how far the scores themselves decide.";
    b.formula = "p = [z/2 − τ]₊², τ such that Σ p = 1";
    b.shapes = "z, p [B,H,Q,K]";
    b.reference = "Peters, Niculae and Martins 2019, eq. 6 and algorithm 2; thesis, section 9.1";
    b.parameterCount = [](const BlockContext&, const Json&) { return 0; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

/// Mean of the values that are in, and the τ for which Σ over them of (x − τ)² is 1.
at::Tensor threshold(const at::Tensor& sum, const at::Tensor& squares, const at::Tensor& count) {
    const at::Tensor mean = sum / count;
    return mean - ((1 - (squares - sum * mean)) / count).clamp_min(0).sqrt();
}

class Entmax15Normaliser final : public Normaliser {
public:
    at::Tensor normalise(const at::Tensor& logits_BHQK) const override {
        // Half precision has too few digits for the sums below.
        const bool isWide = logits_BHQK.scalar_type() == at::kDouble || logits_BHQK.scalar_type() == at::kFloat;
        const at::Tensor z_BHQK = isWide ? logits_BHQK : logits_BHQK.to(at::kFloat);
        // τ lies in [−1, 0) below the largest, so that values under −1 are out whatever they are: they may be cut off.
        const at::Tensor x_BHQK = ((z_BHQK - z_BHQK.detach().amax(-1, true)) / 2).clamp_min(-2);
        const at::Tensor isIn_BHQK = support(x_BHQK.detach());
        const at::Tensor in_BHQK = x_BHQK.masked_fill(isIn_BHQK.logical_not(), 0);
        const at::Tensor count = isIn_BHQK.sum(-1, true).to(x_BHQK.scalar_type());
        const at::Tensor tau = threshold(in_BHQK.sum(-1, true), in_BHQK.square().sum(-1, true), count);
        return (x_BHQK - tau).square().masked_fill(isIn_BHQK.logical_not(), 0);
    }

private:
    /// Which keys get a weight: with the r largest as candidates, the largest r whose smallest lies above their τ.
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
