// SPDX-License-Identifier: Apache-2.0
// No residual connection: y = s; r is discarded.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoResidual() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No residual";
    b.summary = "No residual connection: the sublayer's output replaces its input.";
    b.formula = "y = s";
    b.shapes = "s, y [B,S,D]";
    b.reference = "Heddle: the neutral choice of the slot";
    return b;
}

#else

namespace {

class NoResidual final : public Residual {
public:
    at::Tensor join(const at::Tensor&, const at::Tensor&, const at::Tensor& s_BSD, const Forward&) const override {
        return s_BSD;
    }
};

}  // namespace

std::unique_ptr<Block> makeNoResidual(const BuildContext&) { return std::make_unique<NoResidual>(); }

#endif

}  // namespace heddle
