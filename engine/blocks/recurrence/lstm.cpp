// SPDX-License-Identifier: Apache-2.0
// Long short-term memory: i, f, o = σ(W x + U h₋₁ + b + b′); c = f ⊙ c₋₁ + i ⊙ tanh(W_g x + U_g h₋₁ + b + b′); h = o ⊙ tanh(c).
// Both directions and shapes in engine/blocks/recurrence/recurrent.cpp.
#include "engine/blocks/recurrence/recurrent.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeLstmRecurrence() {
    BlockDescriptor b = describeRecurrence(RecurrentCell::Lstm);
    b.title = "Bidirectional LSTM";
    b.summary =
        "Bidirectional LSTM (Hochreiter and Schmidhuber 1997): a recurrent network with a gated memory cell, run in both "
        "directions.";
    b.formulaOf = biasFormula("c = f ⊙ c₋₁ + i ⊙ tanh(W_g x + U_g h₋₁ + b), h = o ⊙ tanh(c)",
                              "c = f ⊙ c₋₁ + i ⊙ tanh(W_g x + U_g h₋₁), h = o ⊙ tanh(c)");
    b.reference =
        "Hochreiter and Schmidhuber 1997 (Neural Computation 9:8) with forget gate; StarSaber paper (Xu, Hu and Tang 2020, "
        "openreview JNP-CqSjkDb), section 4 (BiLSTM)";
    return b;
}

#else

std::unique_ptr<Block> makeLstmRecurrence(const BuildContext& context) { return makeRecurrence(context, RecurrentCell::Lstm); }

#endif

}  // namespace heddle
