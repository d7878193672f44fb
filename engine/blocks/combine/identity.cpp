// SPDX-License-Identifier: Apache-2.0
// The mixed values and the direct path, added: y = A + V x; [B,S,D].
#include "engine/blocks/star_matrix.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeIdentityCombine() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Sum";
    b.summary = "Sum: adds the output of attention and the direct path.";
    b.formula = "y = A + V x";
    b.shapes = "A, V x, y [B,S,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762)";
    return b;
}

#else

namespace {

class IdentityCombine final : public Combine {
public:
    at::Tensor combine(const Inputs& in, const Forward&) const override { return withDirect(in); }
    bool combines() const override { return false; }
};

}  // namespace

std::unique_ptr<Block> makeIdentityCombine(const BuildContext&) { return std::make_unique<IdentityCombine>(); }

#endif

}  // namespace heddle
