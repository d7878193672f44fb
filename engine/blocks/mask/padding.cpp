// SPDX-License-Identifier: Apache-2.0
// Hides the keys that are padding. Hidden keys get the score kHiddenScore, last of all (variants.md section 0).
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describePaddingMask() {
    BlockDescriptor b;
    b.title = "Padding mask";
    b.summary = "Hides the keys that are padding.";
    b.formula = "visible(q, k) = k is a token";
    b.shapes = "visible [B,1,1,K]";
    b.reference = "Vaswani et al. 2017, section 3.1; variants.md section 0";
    b.parameterCount = [](const BlockContext&, const Json&) { return 0; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class PaddingMask final : public Mask {
public:
    bool hidesPadding() const override { return true; }
    bool hidesFuture() const override { return false; }
};

}  // namespace

std::unique_ptr<Block> makePaddingMask(const BuildContext&) { return std::make_unique<PaddingMask>(); }

#endif

}  // namespace heddle
