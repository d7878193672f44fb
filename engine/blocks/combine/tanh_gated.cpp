// SPDX-License-Identifier: Apache-2.0
// The gated update of the StarSaber paper, eq. 6:
//   r = σ(W^r A + V^r x)    i = σ(W^i A + V^i x)    y = tanh(r ⊙ A + i ⊙ (V x))    A, x, r, i, y [B,S,D]; all matrices [D,D]
#include "engine/blocks/star_matrix.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeGatedTanhCombine() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b = describeStarMatrices(4);
    b.title = "Gated tanh";
    b.summary =
        "Gated tanh update (StarSaber, Xu et al. 2020): weights the output of attention and the direct path with sigmoid "
        "gates, per component, before the tanh.";
    b.formulaOf = starBiasOptions().reading([](const BiasOptions& o) -> std::string {
        return o.bias ? "y = tanh(r ⊙ A + i ⊙ V x), r = σ(W^r A + V^r x + b), i = σ(W^i A + V^i x + b)"
                      : "y = tanh(r ⊙ A + i ⊙ V x), r = σ(W^r A + V^r x), i = σ(W^i A + V^i x)";
    });
    b.shapes = "A, x, r, i, y [B,S,D]; W, V [D,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 6";
    b.exposures = {
        {tap::kResetGate, "StarSaber gate r of the mixed values", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
        {tap::kInputGate, "StarSaber gate i of the direct path", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
        {tap::kUpdate, "StarSaber update", Quantity::Delta, "BSD", -1, 1, true, false, true}};
    b.readsInput = true;
    b.fits = [](const Neighbours& beside, const Json&) -> std::optional<Problem> {
        if (beside.hasDirect) return std::nullopt;
        return Problem{"", "combine \"tanh_gated\" needs a direct path", "set direct to vx, or use combine tanh or gru"};
    };
    return b;
}

#else

namespace {

class GatedTanhCombine final : public Combine {
public:
    GatedTanhCombine(const BuildContext& c, const BiasOptions& o) : path_(c.scope.path()), r_(c, o, "r"), i_(c, o, "i") {}

    at::Tensor combine(const Inputs& in, const Forward& f) const override {
        TORCH_INTERNAL_ASSERT(in.direct.defined(), "a gated tanh needs a direct path");
        const at::Tensor r_BSD = f.pass(path_, tap::kResetGate, r_(in));
        const at::Tensor i_BSD = f.pass(path_, tap::kInputGate, i_(in));
        return f.pass(path_, tap::kUpdate, at::tanh(r_BSD * in.mixed + i_BSD * in.direct));
    }

private:
    std::string path_;
    StarGate r_, i_;
};

}  // namespace

std::unique_ptr<Block> makeGatedTanhCombine(const BuildContext& context) {
    return std::make_unique<GatedTanhCombine>(context, starBiasOptions().read(context.params));
}

#endif

}  // namespace heddle
