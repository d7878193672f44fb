// SPDX-License-Identifier: Apache-2.0
// Predicts one number per sequence (BERT on STS-B). Formula and shapes in engine/blocks/head/output_head.cpp.
#include "engine/blocks/head/output_head.h"

namespace heddle {

namespace {

constexpr OutputForm kRegressForm{OutputForm::Reads::Sequence, 1};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeRegressHead() {
    BlockDescriptor b = describeOutputHead(kRegressForm);
    b.title = "Regressor";
    b.summary = "Sequence regression (Devlin et al. 2019): one number from a pooled vector of the sequence.";
    b.reference = "Devlin et al. 2019 (arXiv 1810.04805), section 4.1 (STS-B)";
    b.outputs = HeadOutputs::Number;
    return b;
}

#else

std::unique_ptr<Block> makeRegressHead(const BuildContext& context) { return makeOutputHead(context, kRegressForm); }

#endif

}  // namespace heddle
