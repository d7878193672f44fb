// SPDX-License-Identifier: Apache-2.0
// Every query sees every key, padding too. Hidden keys get the score kHiddenScore, last of all (variants.md section 0).
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoMask() {
    BlockDescriptor b;
    b.title = "No mask";
    b.summary = "Every query sees every key, padding too.";
    b.formula = "visible(q, k) = true";
    b.shapes = "visible [B,H,Q,K]";
    b.reference = "Atinuke paper, listing: no mask of any kind";
    b.parameterCount = [](const BlockContext&, const Json&) { return 0; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class NoMask final : public Mask {
public:
    bool hidesPadding() const override { return false; }
    bool hidesFuture() const override { return false; }
};

}  // namespace

std::unique_ptr<Block> makeNoMask(const BuildContext&) { return std::make_unique<NoMask>(); }

#endif

}  // namespace heddle
