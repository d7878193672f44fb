// SPDX-License-Identifier: Apache-2.0
// Predicts one of dims.classes per sequence (StarSaber paper, section 4; BERT on GLUE). Formula and shapes in
// engine/blocks/head/output_head.cpp.
#include "engine/blocks/head/output_head.h"

namespace heddle {

namespace {

constexpr OutputForm kClassifyForm{OutputForm::Reads::Sequence, 0};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeClassifyHead() {
    BlockDescriptor b = describeOutputHead(kClassifyForm);
    b.title = "Classifier";
    b.summary = "Sequence classification (Devlin et al. 2019): one logit per class from a pooled vector of the sequence.";
    b.reference = "Devlin et al. 2019 (arXiv 1810.04805), section 3.2 for cls_tanh";
    b.outputs = HeadOutputs::Class;
    return b;
}

#else

std::unique_ptr<Block> makeClassifyHead(const BuildContext& context) { return makeOutputHead(context, kClassifyForm); }

#endif

}  // namespace heddle
