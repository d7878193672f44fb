// SPDX-License-Identifier: Apache-2.0
// Predicts one of dims.classes per position (BERT on named entities). Formula and shapes in engine/blocks/head/output_head.cpp.
#include "engine/blocks/head/output_head.h"

namespace heddle {

namespace {

constexpr OutputForm kTagForm{OutputForm::Reads::Position, 0};

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeTagHead() {
    BlockDescriptor b = describeOutputHead(kTagForm);
    b.title = "Tagger";
    b.summary = "Token classification (Devlin et al. 2019): one logit per class at every position.";
    b.reference = "Devlin et al. 2019 (arXiv 1810.04805), section 5.3";
    b.outputs = HeadOutputs::Tags;
    return b;
}

#else

std::unique_ptr<Block> makeTagHead(const BuildContext& context) { return makeOutputHead(context, kTagForm); }

#endif

}  // namespace heddle
