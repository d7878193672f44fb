// SPDX-License-Identifier: Apache-2.0
// The initialisation of PyTorch's Linear and Embedding: weights and biases U(±1/√fan_in); tables N(0, 1). A table that is also
// the head's weight gets N(0, 1/D) instead: with N(0, 1) the first logits would have deviation √D.
#include "engine/blocks/init/branch_ends.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeTorchDefaultInit() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "As PyTorch does";
    b.summary = "Defaults of PyTorch: weights and biases uniform with a bound set by the fan-in, embeddings standard normal.";
    b.formulaOf = withBranchEnds("W, b ~ U(±1/√fan_in); tables ~ N(0, 1)");
    b.shapes = "W [out,in]; tables [V,D]";
    b.reference = "PyTorch nn.Linear and nn.Embedding";
    b.parameters = branchEndOptions().schema();
    return b;
}

#else

namespace {

class TorchDefaultInit final : public BranchInit {
public:
    using BranchInit::BranchInit;

    at::Tensor matrix(const RandomKey& key, at::IntArrayRef sizes) const override { return vector(key, sizes, sizes[1]); }

    double matrixDeviation(at::IntArrayRef sizes) const override { return 1 / std::sqrt(3.0 * static_cast<double>(sizes[1])); }

    at::Tensor table(const RandomKey& key, at::IntArrayRef sizes, double deviation) const override {
        return normal(key, sizes, 0, deviation);
    }
    double tableDeviation(at::IntArrayRef, double deviation) const override { return deviation; }
};

}  // namespace

std::unique_ptr<Block> makeTorchDefaultInit(const BuildContext& context) {
    return std::make_unique<TorchDefaultInit>(branchEndOptions().read(context.params));
}

#endif

}  // namespace heddle
