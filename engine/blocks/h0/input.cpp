// SPDX-License-Identifier: Apache-2.0
// The first layer starts from the stack's input: h⁰ = x; [B,S,D].
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeInputStart() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "The input";
    b.summary = "Initial hidden state: the stack's input.";
    b.formula = "h⁰ = x";
    b.shapes = "x, h⁰ [B,S,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 4";
    b.readsInput = true;
    return b;
}

#else

namespace {

class InputStart final : public Start {
public:
    at::Tensor start(const at::Tensor& x_BSD) const override { return x_BSD; }
};

}  // namespace

std::unique_ptr<Block> makeInputStart(const BuildContext&) { return std::make_unique<InputStart>(); }

#endif

}  // namespace heddle
