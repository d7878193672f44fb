// SPDX-License-Identifier: Apache-2.0
// No selection: every visible key gets its weight.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoSelector() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No selection";
    b.summary = "No selection: a query attends to every key that the mask shows.";
    b.formula = "w = p";
    b.shapes = "p, w [B,H,Q,K]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762)";
    return b;
}

#else

namespace {

class NoSelector final : public Selector {
public:
    bool selects() const override { return false; }
    Choice choose(const Inputs& in, const Forward&) const override { return {in.hidden, {}, {}, {}}; }
};

}  // namespace

std::unique_ptr<Block> makeNoSelector(const BuildContext&) { return std::make_unique<NoSelector>(); }

#endif

}  // namespace heddle
