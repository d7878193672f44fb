// SPDX-License-Identifier: Apache-2.0
// The first layer starts from a linear map of the stack's input: h⁰ = W x + b; x, h⁰ [B,S,D]; W [D,D] (StarSaber paper, eq. 4;
// variants.md table 2.6 S6).
#include "engine/blocks/star_matrix.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeLinearStart() {
    BlockDescriptor b = describeStarMatrices(1);
    b.title = "A linear map of the input";
    b.summary = "Initial hidden state: a linear map of the stack's input.";
    b.formulaOf = biasFormula("h⁰ = W x + b", "h⁰ = W x");
    b.shapes = "x, h⁰ [B,S,D]; W [D,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 4";
    b.readsInput = true;
    return b;
}

#else

namespace {

class LinearStart final : public Start {
public:
    LinearStart(const BuildContext& c, const BiasOptions& o)
        : w_(declareLinear(c.scope / "w", c.where.dims.d, c.where.dims.d, WithBias{o.bias})) {}
    at::Tensor start(const at::Tensor& x_BSD) const override { return w_(x_BSD); }

private:
    Linear w_;
};

}  // namespace

std::unique_ptr<Block> makeLinearStart(const BuildContext& context) {
    return std::make_unique<LinearStart>(context, starBiasOptions().read(context.params));
}

#endif

}  // namespace heddle
