// SPDX-License-Identifier: Apache-2.0
// Softmax over the keys (Vaswani et al. 2017, eq. 1): p_k = exp(z_k) / Σ_j exp(z_j); z, p [B,H,Q,K].
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeSoftmaxNormaliser() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Softmax";
    b.summary = "Softmax (Vaswani et al. 2017): turns the scores of the visible keys into positive weights that sum to 1.";
    b.formula = "p = softmax(z)";
    b.shapes = "z, p [B,H,Q,K]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), eq. 1";
    return b;
}

#else

namespace {

class SoftmaxNormaliser final : public Normaliser {
public:
    at::Tensor normalise(const at::Tensor& logits_BHQK) const override { return at::softmax(logits_BHQK, -1); }
    bool isSoftmax() const override { return true; }
};

}  // namespace

std::unique_ptr<Block> makeSoftmaxNormaliser(const BuildContext&) { return std::make_unique<SoftmaxNormaliser>(); }

#endif

}  // namespace heddle
