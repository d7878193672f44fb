// SPDX-License-Identifier: Apache-2.0
// Orthogonal initialisation (Saxe et al. 2014, section 3): the Q of a normal matrix's QR decomposition with the signs of R's
// diagonal, so that rotations are uniformly distributed. A matrix that is not square gets orthonormal rows or columns,
// whichever are fewer. Tables N(0, 1) and biases U(±1/√fan_in), as in PyTorch.
#include "engine/blocks/init/branch_ends.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeOrthogonalInit() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Orthogonal";
    b.summary =
        "Orthogonal initialisation (Saxe et al. 2014): weights are random orthogonal matrices; embeddings and biases as the "
        "defaults of PyTorch.";
    b.formulaOf = withBranchEnds("W = Q · sign(diag R), Q R = N(0, 1)");
    b.shapes = "W [out,in]";
    b.reference =
        "Saxe et al. 2014 (arXiv 1312.6120), section 3; StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), "
        "section 3.2";
    b.parameters = branchEndOptions().schema();
    return b;
}

#else

namespace {

class OrthogonalInit final : public BranchInit {
public:
    using BranchInit::BranchInit;

    at::Tensor matrix(const RandomKey& key, at::IntArrayRef sizes) const override {
        // With three axes (patches, gates per head) the first is the output axis, as in PyTorch.
        const at::Tensor drawn = normal(key, sizes, 0, 1).flatten(1);
        const bool isWide = drawn.size(0) < drawn.size(1);
        const auto [q, r] = at::linalg_qr(isWide ? drawn.t() : drawn, "reduced");
        const at::Tensor unique = q * r.diagonal().sign();
        return (isWide ? unique.t() : unique).reshape(sizes).contiguous();
    }

    at::Tensor table(const RandomKey& key, at::IntArrayRef sizes, double deviation) const override {
        return normal(key, sizes, 0, deviation);
    }
    /// A matrix with orthonormal rows or columns, whichever are fewer.
    double matrixDeviation(at::IntArrayRef sizes) const override {
        return 1 / std::sqrt(static_cast<double>(std::max(sizes[0], c10::multiply_integers(sizes.slice(1)))));
    }
    double tableDeviation(at::IntArrayRef, double deviation) const override { return deviation; }
};

}  // namespace

std::unique_ptr<Block> makeOrthogonalInit(const BuildContext& context) {
    return std::make_unique<OrthogonalInit>(branchEndOptions().read(context.params));
}

#endif

}  // namespace heddle
