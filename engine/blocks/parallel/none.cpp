// SPDX-License-Identifier: Apache-2.0
// Nothing beside the sublayer.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoParallel() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Nothing in parallel";
    b.summary = "No parallel branch: only the sublayer's own output reaches the residual connection.";
    b.formula = "p = 0";
    b.shapes = "p [B,S,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762)";
    return b;
}

#else

namespace {

class NoParallel final : public Parallel {
public:
    at::Tensor beside(const at::Tensor&, const Forward&) const override { return {}; }
};

}  // namespace

std::unique_ptr<Block> makeNoParallel(const BuildContext&) { return std::make_unique<NoParallel>(); }

#endif

}  // namespace heddle
