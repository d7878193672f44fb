// SPDX-License-Identifier: Apache-2.0
// No adjuster: y = x.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoAdjuster() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No adjuster";
    b.summary = "No adjuster: the sublayer's output is passed on unchanged.";
    b.formula = "y = x";
    b.shapes = "x, y [B,S,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762)";
    return b;
}

#else

namespace {

class NoAdjuster final : public Adjuster {
public:
    at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor&, const Forward&) const override { return x_BSD; }
};

}  // namespace

std::unique_ptr<Block> makeNoAdjuster(const BuildContext&) { return std::make_unique<NoAdjuster>(); }

#endif

}  // namespace heddle
