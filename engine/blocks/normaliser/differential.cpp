// SPDX-License-Identifier: Apache-2.0
// Differential attention (Ye et al. 2025, eq. 1–3): of each pair of heads the weights of the second are subtracted from those
// of the first, and both heads mix their values by the difference,
//   p_2i = p_2i+1 = softmax(z_2i) − λ softmax(z_2i+1),  λ = exp(a · b) − exp(c · d) + λ₀,  λ₀ = 0.8 − 0.6 exp(−0.3 l)
// z, p [B,H,Q,K]; a, b, c, d [E], the same for all heads of layer l = 0, 1, …. The values of a pair, 2E wide in the paper, are
// those of its two heads side by side. The paper normalises the output of every pair: adjuster "head_norm" with heads 2.
#include "engine/blocks/normaliser/differential.h"

#include "engine/blocks/block_file.h"
#include "engine/spec/variant_spec.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeDifferentialNormaliser() {
    BlockDescriptor b;
    b.title = "Difference of two softmaxes";
    b.summary =
        "Differential attention (Ye et al. 2025): subtracts the weights of one head of a pair from those of the other, which "
        "cancels what both attend to.";
    b.formula = "p_2i = p_2i+1 = softmax(z_2i) − λ softmax(z_2i+1), λ = exp(a · b) − exp(c · d) + 0.8 − 0.6 exp(−0.3 l)";
    b.shapes = "z, p [B,H,Q,K]; a, b, c, d [E]; l the layer, from 0";
    b.reference = "Ye et al. 2025 (Differential Transformer, arXiv 2410.05258), eq. 1–3";
    b.reading =
        "Reading. The paper's head has two queries, two keys and values of twice the width; here it is a pair of heads, so "
        "that dims.heads is twice the paper's number. Its norm of a head's output is adjuster head_norm with `heads` 2 and "
        "`scale` differential.";
    b.parameterCount = [](const BlockContext& where, const Json&) { return 4 * where.dims.keyDim; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.dims.heads % 2 == 0) return std::nullopt;
        return Problem{"kind", std::to_string(where.dims.heads) + " heads are no pairs", "choose an even number of dims.heads"};
    };
    b.exposures = {{kAttentionWeight, "attention weight, a difference: may be negative", Exposure::Quantity::Weight, "BHQK", -1,
                    1, false, true, true}};
    b.mixesHeads = true;
    b.resistsWidthTransfer = [](const Json&) { return true; };  // λ is an exponential of sums over the width of a key
    return b;
}

#else

namespace {

class DifferentialNormaliser final : public Normaliser {
public:
    explicit DifferentialNormaliser(const BuildContext& c)
        : start_(differentialStart(c.where.layer)),
          factors_4E_(c.scope.declare("factors", {4, c.where.dims.keyDim}, {Initial::Kind::Embedding, kDeviation})) {}

    at::Tensor normalise(const at::Tensor& logits_BHQK) const override {
        const at::Tensor pairs_BP2QK = at::softmax(logits_BHQK, -1).unflatten(1, {-1, 2});
        const at::Tensor exponent_2 = (factors_4E_.slice(0, 0, 4, 2) * factors_4E_.slice(0, 1, 4, 2)).sum(-1).exp();
        const at::Tensor lambda = exponent_2.select(0, 0) - exponent_2.select(0, 1) + start_;
        const at::Tensor difference_BPQK = pairs_BP2QK.select(2, 0) - lambda * pairs_BP2QK.select(2, 1);
        return difference_BPQK.repeat_interleave(2, 1);
    }

private:
    static constexpr double kDeviation = 0.1;  // of a, b, c, d at the start, as in the authors' code

    double start_;
    at::Tensor factors_4E_;  // a, b, c, d
};

}  // namespace

std::unique_ptr<Block> makeDifferentialNormaliser(const BuildContext& context) {
    return std::make_unique<DifferentialNormaliser>(context);
}

#endif

}  // namespace heddle
