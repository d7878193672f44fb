// SPDX-License-Identifier: Apache-2.0
// No position: y = x, [B,S,D].
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoPosition() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No position";
    b.summary =
        "No position encoding: without a causal mask or another source of order the model does not know the order of its input "
        "tokens.";
    b.formula = "y = x";
    b.shapes = "x, y [B,S,D]";
    b.reference = "Heddle: the neutral choice of the slot";
    return b;
}

#else

namespace {

class NoPosition final : public Position, public IncrementalPosition {
public:
    Where where() const override { return Where::Input; }
    at::Tensor add(const at::Tensor& x_BSD, std::int64_t) const override { return x_BSD; }
    at::Tensor addAt(const at::Tensor& x_B1D, const at::Tensor&) const override { return x_B1D; }
};

}  // namespace

std::unique_ptr<Block> makeNoPosition(const BuildContext&) { return std::make_unique<NoPosition>(); }

#endif

}  // namespace heddle
