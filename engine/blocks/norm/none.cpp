// SPDX-License-Identifier: Apache-2.0
// No normalisation: N(x) = x.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoNorm() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No normalisation";
    b.summary = "The stream keeps its own scale.";
    b.formula = "N(x) = x";
    b.shapes = "x [B,S,D]";
    b.reference = "StarSaber paper; ReZero, Bachlechner et al. 2020";
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
