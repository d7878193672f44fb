// SPDX-License-Identifier: Apache-2.0
// A mask that Heddle does not have: hides padding and the keys after the query.
//   visible(q, k) = k ≤ q and k is a token
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describePastMask() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "The past alone";
    b.summary = "Hides padding and the keys after the query.";
    b.formula = "visible(q, k) = k ≤ q and k is a token";
    b.shapes = "visible [B,1,S,S]";
    b.reference = "nobody; a test";
    b.sees = VisibleKeys::UpToQuery;
    return b;
}

#else

namespace {

class PastMask final : public Mask {
public:
    bool hidesPadding() const override { return true; }
    bool hidesFuture() const override { return true; }
};

}  // namespace

std::unique_ptr<Block> makePastMask(const BuildContext&) { return std::make_unique<PastMask>(); }

#endif

}  // namespace heddle
