// SPDX-License-Identifier: Apache-2.0
// The update of the StarSaber paper, eq. 4 and 5: y = tanh(A + V x); A, V x, y [B,S,D]. Without a direct path tanh(A).
#include "engine/blocks/star_matrix.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeTanhCombine() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Tanh";
    b.summary =
        "Tanh update (StarSaber, Xu et al. 2020): applies tanh to the sum of the output of attention and the direct path.";
    b.formula = "y = tanh(A + V x)";
    b.shapes = "A, V x, y [B,S,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 4–5";
    b.exposures = {{tap::kUpdate, "StarSaber update", Exposure::Quantity::Delta, "BSD", -1, 1, true, false, true}};
    return b;
}

#else

namespace {

class TanhCombine final : public Combine {
public:
    explicit TanhCombine(const BuildContext& c) : path_(c.scope.path()) {}
    at::Tensor combine(const Inputs& in, const Forward& f) const override {
        return f.pass(path_, tap::kUpdate, at::tanh(withDirect(in)));
    }

private:
    std::string path_;
};

}  // namespace

std::unique_ptr<Block> makeTanhCombine(const BuildContext& context) { return std::make_unique<TanhCombine>(context); }

#endif

}  // namespace heddle
