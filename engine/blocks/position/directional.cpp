// SPDX-License-Identifier: Apache-2.0
// Positions by direction only (StarSaber paper, section 3; variants.md section 5): y = x, [B,S,D]. The value block provides the
// order by treating keys before and after a query differently.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeDirectionalPosition() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "By direction";
    b.summary =
        "Positions by directional values (StarSaber, Xu et al. 2020): nothing is added to the embeddings, because values "
        "before and after a query have matrices of their own.";
    b.formula = "y = x";
    b.shapes = "x, y [B,S,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 2–4 and figure 1";
    b.leavesOrderToValues = true;
    return b;
}

#else

namespace {

class DirectionalPosition final : public Position, public IncrementalPosition, public AddedPosition {
public:
    Where where() const override { return Where::Input; }
    at::Tensor add(const at::Tensor& x_BSD, std::int64_t) const override { return x_BSD; }
    at::Tensor added_SD(std::int64_t, std::int64_t) const override { return {}; }
    at::Tensor addAt(const at::Tensor& x_BSD, const at::Tensor&) const override { return x_BSD; }
};

}  // namespace

std::unique_ptr<Block> makeDirectionalPosition(const BuildContext&) { return std::make_unique<DirectionalPosition>(); }

#endif

}  // namespace heddle
