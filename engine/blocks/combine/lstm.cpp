// SPDX-License-Identifier: Apache-2.0
// A long short-term memory over layers instead of time (StarSaber paper, section 6, as variants.md 5.1 writes it out):
//   i, f, o = σ(W A + V x), each with matrices of its own    c′ = f ⊙ c + i ⊙ tanh(A + V x)    h′ = o ⊙ tanh(c′)
// A, x, c, c′, h′ [B,S,D]; all matrices [D,D]; c is passed from layer to layer beside the stream and is 0 before the first.
// Intended for residual none.
#include "engine/blocks/star_matrix.h"

namespace heddle {

namespace {

constexpr const char* kForget = "forget_gate";
constexpr const char* kOutput = "output_gate";
constexpr const char* kCell = "cell";

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeLstmCombine() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b = describeStarMatrices(6);
    b.title = "LSTM cell";
    b.summary =
        "LSTM cell over depth (Hochreiter and Schmidhuber 1997): carries a gated cell state from layer to layer beside the "
        "hidden state.";
    b.formulaOf = starBiasOptions().reading([](const BiasOptions& o) -> std::string {
        return o.bias ? "c′ = f ⊙ c + i ⊙ tanh(A + V x), h′ = o ⊙ tanh(c′); i, f, o = σ(W A + V x + b)"
                      : "c′ = f ⊙ c + i ⊙ tanh(A + V x), h′ = o ⊙ tanh(c′); i, f, o = σ(W A + V x)";
    });
    b.shapes = "A, x, c, c′, h′ [B,S,D]; W, V [D,D]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), section 6; Hochreiter and Schmidhuber 1997 (Neural "
        "Computation 9:8)";
    b.exposures = {{tap::kInputGate, "LSTM input gate i", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
                   {kForget, "LSTM forget gate f", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
                   {kOutput, "LSTM output gate o", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
                   {kCell, "LSTM cell c", Quantity::Scalar, "BSD", -4, 4, true, false, true}};
    b.readsInput = true;
    b.hasMemory = true;
    return b;
}

#else

namespace {

class LstmCombine final : public Combine {
public:
    LstmCombine(const BuildContext& c, const BiasOptions& o)
        : path_(c.scope.path()), i_(c, o, "i"), f_(c, o, "f"), o_(c, o, "o") {}

    at::Tensor combine(const Inputs& in, const Forward& f) const override {
        const at::Tensor i_BSD = f.pass(path_, tap::kInputGate, i_(in));
        const at::Tensor f_BSD = f.pass(path_, kForget, f_(in));
        const at::Tensor o_BSD = f.pass(path_, kOutput, o_(in));
        const at::Tensor old_BSD = in.cell.defined() ? in.cell : at::zeros_like(in.mixed);
        in.cell = f.pass(path_, kCell, f_BSD * old_BSD + i_BSD * at::tanh(withDirect(in)));
        return o_BSD * at::tanh(in.cell);
    }

private:
    std::string path_;
    StarGate i_, f_, o_;
};

}  // namespace

std::unique_ptr<Block> makeLstmCombine(const BuildContext& context) {
    return std::make_unique<LstmCombine>(context, starBiasOptions().read(context.params));
}

#endif

}  // namespace heddle
