// SPDX-License-Identifier: Apache-2.0
// No normalisation: N(x) = x.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoNorm() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No normalisation";
    b.summary = "No normalisation: vectors are passed on unchanged.";
    b.formula = "N(x) = x";
    b.shapes = "x [B,S,D]";
    b.reference =
        "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb); ReZero, Bachlechner et al. 2020 (arXiv 2003.04887)";
    return b;
}

#else

namespace {

class NoNorm final : public Norm {
public:
    Place place() const override { return Place::Post; }
    at::Tensor normalise(const at::Tensor& x_BSD) const override { return x_BSD; }
};

}  // namespace

std::unique_ptr<Block> makeNoNorm(const BuildContext&) { return std::make_unique<NoNorm>(); }

#endif

}  // namespace heddle
