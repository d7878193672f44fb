// SPDX-License-Identifier: Apache-2.0
// The direct path of the StarSaber paper, eq. 1–6: V x + b is added to the mixed values in every layer; x [B,S,D] is the
// stack's input, V [D,D].
#include "engine/blocks/star_matrix.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeInputDirectPath() {
    BlockDescriptor b = describeStarMatrices(1);
    b.title = "Direct path from the input";
    b.summary =
        "Direct path from the input (StarSaber, Xu et al. 2020): adds a linear map of the stack's input, with weights of its "
        "own, in every layer.";
    b.formulaOf = starMatrixOptions().reading(
        [](const StarMatrixOptions& o) -> std::string { return "d = V x" + partIf(o.bias, " + b"); });
    b.shapes = "x, d [B,S,D]; V [D,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 1–6";
    b.parameters = starMatrixOptions().schema();
    b.readsInput = true;
    return b;
}

#else

namespace {

class InputDirectPath final : public DirectPath {
public:
    InputDirectPath(const BuildContext& c, const StarMatrixOptions& o) : v_(c.scope / "v", c, o) {}
    at::Tensor path(const LinearInput& x) const override { return v_(x); }
    std::vector<const Linear*> maps() const override { return v_.maps(); }

private:
    StarMatrix v_;
};

}  // namespace

std::unique_ptr<Block> makeInputDirectPath(const BuildContext& context) {
    return std::make_unique<InputDirectPath>(context, starMatrixOptions().read(context.params));
}

#endif

}  // namespace heddle
