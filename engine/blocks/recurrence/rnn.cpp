// SPDX-License-Identifier: Apache-2.0
// The plain recurrence: h = tanh(W x + U h₋₁ + b + b′).
// Both directions and shapes in engine/blocks/recurrence/recurrent.cpp.
#include "engine/blocks/recurrence/recurrent.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeRnnRecurrence() {
    BlockDescriptor b = describeRecurrence(RecurrentCell::Tanh);
    b.title = "Bidirectional RNN";
    b.summary = "Bidirectional Elman RNN (Elman 1990): a recurrent network with a tanh and no gates, run in both directions.";
    b.formulaOf = biasFormula("h = tanh(U h₋₁ + W x + b)", "h = tanh(U h₋₁ + W x)");
    b.reference = "Elman 1990 (Cognitive Science 14:2); StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 1";
    return b;
}

#else

std::unique_ptr<Block> makeRnnRecurrence(const BuildContext& context) { return makeRecurrence(context, RecurrentCell::Tanh); }

#endif

}  // namespace heddle
