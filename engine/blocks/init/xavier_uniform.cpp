// SPDX-License-Identifier: Apache-2.0
// Initialisation of Glorot and Bengio 2010, eq. 16, for all parameters with two axes, tables included; biases U(±1/√fan_in), as
// in the public code base of variants.md 1.6: W ~ U(±√(6 / (fan_in + fan_out))).
#include "engine/blocks/init/branch_ends.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeXavierUniformInit() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Xavier uniform";
    b.summary =
        "Xavier uniform, or Glorot initialisation (Glorot and Bengio 2010): weights and embeddings uniform with a bound set by "
        "fan-in and fan-out; biases as the defaults of PyTorch.";
    b.formulaOf = withBranchEnds("W ~ U(±√(6 / (fan_in + fan_out)))");
    b.shapes = "W [out,in]";
    b.reference = "Glorot and Bengio 2010 (AISTATS), eq. 16";
    b.parameters = branchEndOptions().schema();
    return b;
}

#else

namespace {

class XavierUniformInit final : public ScaledUniformInit {
public:
    using ScaledUniformInit::ScaledUniformInit;

private:
    std::int64_t fans(at::IntArrayRef sizes) const override { return sizes[0] + sizes[1]; }
};

}  // namespace

std::unique_ptr<Block> makeXavierUniformInit(const BuildContext& context) {
    return std::make_unique<XavierUniformInit>(branchEndOptions().read(context.params));
}

#endif

}  // namespace heddle
