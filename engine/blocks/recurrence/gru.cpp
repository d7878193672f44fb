// SPDX-License-Identifier: Apache-2.0
// Gated recurrent unit: r, z = σ(W x + U h₋₁ + b + b′); h = (1 − z) ⊙ tanh(W_n x + b_n + r ⊙ (U_n h₋₁ + b′_n)) + z ⊙ h₋₁.
// Both directions and shapes in engine/blocks/recurrence/recurrent.cpp.
#include "engine/blocks/recurrence/recurrent.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeGruRecurrence() {
    BlockDescriptor b = describeRecurrence(RecurrentCell::Gru);
    b.title = "Bidirectional GRU";
    b.summary =
        "Bidirectional GRU (Cho et al. 2014): a recurrent network with an update and a reset gate, run in both directions.";
    b.formulaOf = biasFormula("h = (1 − z) ⊙ tanh(W x + b + r ⊙ (U h₋₁ + b′)) + z ⊙ h₋₁",
                              "h = (1 − z) ⊙ tanh(W x + r ⊙ U h₋₁) + z ⊙ h₋₁");
    b.reference = "Cho et al. 2014 (arXiv 1406.1078)";
    return b;
}

#else

std::unique_ptr<Block> makeGruRecurrence(const BuildContext& context) { return makeRecurrence(context, RecurrentCell::Gru); }

#endif

}  // namespace heddle
