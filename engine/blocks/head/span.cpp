// SPDX-License-Identifier: Apache-2.0
// Predicts start and end of an answer (BERT on SQuAD). Formula and shapes in engine/blocks/output_head.cpp.
#include "engine/blocks/output_head.h"

namespace heddle {

namespace {

constexpr OutputForm kSpanForm{OutputForm::Reads::Position, 2};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeSpanHead() {
    BlockDescriptor b = describeOutputHead(kSpanForm);
    b.title = "Span finder";
    b.summary = "Two scores for every position: that an answer starts there, and that it ends there.";
    b.reference = "Devlin et al. 2019, section 4.2";
    return b;
}

#else

std::unique_ptr<Block> makeSpanHead(const BuildContext& context) { return makeOutputHead(context, kSpanForm); }

#endif

}  // namespace heddle
