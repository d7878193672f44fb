// SPDX-License-Identifier: Apache-2.0
// The first layer starts from a linear map of the stack's input: h⁰ = W x + b; x, h⁰ [B,S,D]; W [D,D] (StarSaber paper, eq. 4;
// variants.md table 2.6 S6).
#include "engine/blocks/star_matrix.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeLinearStart() {
    BlockDescriptor b;
    b.title = "A linear map of the input";
    b.summary = "The first layer starts from the stack's input through a matrix.";
    b.formula = "h⁰ = W x + b";
    b.shapes = "x, h⁰ [B,S,D]; W [D,D]";
    b.reference = "StarSaber paper, eq. 4";
    b.parameters = {starBias()};
    b.parameterCount = [](const BlockContext& where, const Json& params) { return starMatrixCount(1, where, params); };
    b.flopsPerToken = [](const BlockContext& where, const Json&) { return starMatrixFlops(1, where); };
    b.keptTensors = [](const BlockContext&, const Json&) -> KeptTensors { return {{}, "x"}; };
    b.flopsOnInput = b.flopsPerToken;
    return b;
}

#else

namespace {

class LinearStart final : public Start {
public:
    explicit LinearStart(const BuildContext& c) {
        const WithBias bias = c.params.at("bias").get<bool>() ? WithBias::Yes : WithBias::No;
        w_ = declareLinear(c.scope / "w", c.where.dims.d, c.where.dims.d, bias);
    }
    at::Tensor start(const at::Tensor& x_BSD) const override { return w_(x_BSD); }

private:
    Linear w_;
};

}  // namespace

std::unique_ptr<Block> makeLinearStart(const BuildContext& context) { return std::make_unique<LinearStart>(context); }

#endif

}  // namespace heddle
