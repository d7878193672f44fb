// SPDX-License-Identifier: Apache-2.0
// The first layer starts from zeros: h⁰ = 0; [B,S,D] (StarSaber paper, "a constant vector"; variants.md table 2.6 S6).
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeZerosStart() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Zeros";
    b.summary = "Initial hidden state: zero; the input reaches the layers through the direct path only.";
    b.formula = "h⁰ = 0";
    b.shapes = "h⁰ [B,S,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 4";
    return b;
}

#else

namespace {

class ZerosStart final : public Start {
public:
    at::Tensor start(const at::Tensor& x_BSD) const override { return at::zeros_like(x_BSD); }
};

}  // namespace

std::unique_ptr<Block> makeZerosStart(const BuildContext&) { return std::make_unique<ZerosStart>(); }

#endif

}  // namespace heddle
