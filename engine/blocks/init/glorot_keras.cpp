// SPDX-License-Identifier: Apache-2.0
// Keras' default initialisation (variants.md 4.4: the thesis trained with Keras): weights Glorot uniform (Glorot and Bengio
// 2010, eq. 16), biases 0, tables uniform: W ~ U(±√(6 / (fan_in + fan_out))); E ~ U(±0.05).
#include "engine/blocks/init/branch_ends.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeGlorotKerasInit() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "As Keras does";
    b.summary =
        "Defaults of Keras (Glorot and Bengio 2010): weights Glorot uniform, biases zero, embeddings uniform within ±0.05.";
    b.formulaOf = withBranchEnds("W ~ U(±√(6 / (fan_in + fan_out))), b = 0; tables ~ U(±0.05)");
    b.shapes = "W [out,in]; tables [V,D]";
    b.reference = "Glorot and Bengio 2010 (AISTATS), eq. 16; Keras Dense and Embedding";
    b.parameters = branchEndOptions().schema();
    return b;
}

#else

namespace {

class GlorotKerasInit final : public ScaledUniformInit {
public:
    using ScaledUniformInit::ScaledUniformInit;

    at::Tensor vector(const RandomKey&, at::IntArrayRef sizes, std::int64_t) const override {
        return at::zeros(sizes, at::kDouble);
    }
    at::Tensor table(const RandomKey& key, at::IntArrayRef sizes, double) const override {
        return uniform(key, sizes, -0.05, 0.05);
    }
    double tableDeviation(at::IntArrayRef, double) const override { return 0.05 / std::sqrt(3.0); }

private:
    std::int64_t fans(at::IntArrayRef sizes) const override { return sizes[0] + sizes[1]; }
};

}  // namespace

std::unique_ptr<Block> makeGlorotKerasInit(const BuildContext& context) {
    return std::make_unique<GlorotKerasInit>(branchEndOptions().read(context.params));
}

#endif

}  // namespace heddle
