// SPDX-License-Identifier: Apache-2.0
// A gated recurrent unit over layers instead of time (StarSaber paper, section 6, as variants.md 5.1 writes it out):
//   r = σ(W^r A + V^r x)    z = σ(W^z A + V^z x)    h′ = (1 − z) ⊙ h + z ⊙ tanh(r ⊙ A + V x)
// A, x, h, h′ [B,S,D]; all matrices [D,D]; h is the sublayer's input. Intended for residual none, since h′ is the new stream.
#include "engine/blocks/star_matrix.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeGruCombine() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b = describeStarMatrices(4);
    b.title = "GRU cell";
    b.summary =
        "GRU cell over depth (Cho et al. 2014): an update gate decides, per component, how much of the hidden state the "
        "candidate replaces.";
    b.formulaOf = starBiasOptions().reading([](const BiasOptions& o) -> std::string {
        return o.bias ? "h′ = (1 − z) ⊙ h + z ⊙ tanh(r ⊙ A + V x), r = σ(W^r A + V^r x + b), z = σ(W^z A + V^z x + b)"
                      : "h′ = (1 − z) ⊙ h + z ⊙ tanh(r ⊙ A + V x), r = σ(W^r A + V^r x), z = σ(W^z A + V^z x)";
    });
    b.shapes = "A, x, h, h′ [B,S,D]; W, V [D,D]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), section 6; Cho et al. 2014 (arXiv 1406.1078)";
    b.exposures = {{tap::kResetGate, "GRU reset gate r", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
                   {tap::kUpdateGate, "GRU update gate z", Quantity::UnitGate, "BSD", 0, 1, true, false, true}};
    b.readsInput = true;
    return b;
}

#else

namespace {

class GruCombine final : public Combine {
public:
    GruCombine(const BuildContext& c, const BiasOptions& o) : path_(c.scope.path()), r_(c, o, "r"), z_(c, o, "z") {}

    at::Tensor combine(const Inputs& in, const Forward& f) const override {
        const at::Tensor r_BSD = f.pass(path_, tap::kResetGate, r_(in));
        const at::Tensor z_BSD = f.pass(path_, tap::kUpdateGate, z_(in));
        const at::Tensor gated_BSD = r_BSD * in.mixed;
        const at::Tensor new_BSD = at::tanh(in.direct.defined() ? gated_BSD + in.direct : gated_BSD);
        return (1 - z_BSD) * in.stream + z_BSD * new_BSD;
    }

private:
    std::string path_;
    StarGate r_, z_;
};

}  // namespace

std::unique_ptr<Block> makeGruCombine(const BuildContext& context) {
    return std::make_unique<GruCombine>(context, starBiasOptions().read(context.params));
}

#endif

}  // namespace heddle
