// SPDX-License-Identifier: Apache-2.0
// Predicts start and end of an answer (BERT on SQuAD). Formula and shapes in engine/blocks/head/output_head.cpp.
#include "engine/blocks/head/output_head.h"

namespace heddle {

namespace {

constexpr OutputForm kSpanForm{OutputForm::Reads::Position, 2};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeSpanHead() {
    BlockDescriptor b = describeOutputHead(kSpanForm);
    b.title = "Span finder";
    b.summary = "Span extraction (Devlin et al. 2019): two logits per position, for the start and for the end of the answer.";
    b.reference = "Devlin et al. 2019 (arXiv 1810.04805), section 4.2";
    b.outputs = HeadOutputs::Span;
    return b;
}

#else

std::unique_ptr<Block> makeSpanHead(const BuildContext& context) { return makeOutputHead(context, kSpanForm); }

#endif

}  // namespace heddle
