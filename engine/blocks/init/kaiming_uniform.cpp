// SPDX-License-Identifier: Apache-2.0
// Initialisation of He et al. 2015, section 2.2, for all parameters with two axes, tables included; biases U(±1/√fan_in), as in
// the public code base of variants.md 1.6: W ~ U(±√(6 / fan_in)).
#include "engine/blocks/init/branch_ends.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeKaimingUniformInit() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Kaiming uniform";
    b.summary =
        "Kaiming uniform, or He initialisation (He et al. 2015): weights and embeddings uniform with a bound set by the "
        "fan-in, for ReLU; biases as the defaults of PyTorch.";
    b.formulaOf = withBranchEnds("W ~ U(±√(6 / fan_in))");
    b.shapes = "W [out,in]";
    b.reference = "He et al. 2015 (arXiv 1502.01852), section 2.2";
    b.parameters = branchEndOptions().schema();
    return b;
}

#else

namespace {

class KaimingUniformInit final : public ScaledUniformInit {
public:
    using ScaledUniformInit::ScaledUniformInit;

private:
    std::int64_t fans(at::IntArrayRef sizes) const override { return sizes[1]; }
};

}  // namespace

std::unique_ptr<Block> makeKaimingUniformInit(const BuildContext& context) {
    return std::make_unique<KaimingUniformInit>(branchEndOptions().read(context.params));
}

#endif

}  // namespace heddle
