// SPDX-License-Identifier: Apache-2.0
// No direct path.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoDirectPath() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No direct path";
    b.summary = "No direct path: a layer receives the stack's input through the layers before it only.";
    b.formula = "d = 0";
    b.shapes = "d [B,S,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762)";
    return b;
}

#else

namespace {

class NoDirectPath final : public DirectPath {
public:
    at::Tensor path(const at::Tensor&) const override { return {}; }
};

}  // namespace

std::unique_ptr<Block> makeNoDirectPath(const BuildContext&) { return std::make_unique<NoDirectPath>(); }

#endif

}  // namespace heddle
