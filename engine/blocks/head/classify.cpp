// SPDX-License-Identifier: Apache-2.0
// Predicts one of dims.classes per sequence (StarSaber paper, section 4; BERT on GLUE). Formula and shapes in
// engine/blocks/output_head.cpp.
#include "engine/blocks/output_head.h"

namespace heddle {

namespace {

constexpr OutputForm kClassifyForm{OutputForm::Reads::Sequence, 0};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeClassifyHead() {
    BlockDescriptor b = describeOutputHead(kClassifyForm);
    b.title = "Classifier";
    b.summary = "One score for every class, from one vector that stands for the sequence.";
    b.reference = "Devlin et al. 2019, section 3.2 for cls_tanh";
    return b;
}

#else

std::unique_ptr<Block> makeClassifyHead(const BuildContext& context) { return makeOutputHead(context, kClassifyForm); }

#endif

}  // namespace heddle
