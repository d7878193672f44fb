// SPDX-License-Identifier: Apache-2.0
// The first layer starts from one learned vector at every position: h⁰ = v; v [D], h⁰ [B,S,D] (StarSaber paper, "a constant
// vector"; variants.md table 2.6 S6).
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeLearnedStart() {
    BlockDescriptor b;
    b.title = "A learned vector";
    b.summary = "Initial hidden state: one learned vector, the same at every position.";
    b.formula = "h⁰ = v";
    b.shapes = "v [D]; h⁰ [B,S,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 4";
    b.parameterCount = [](const BlockContext& where, const Json&) { return where.dims.d; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class LearnedStart final : public Start {
public:
    explicit LearnedStart(const BuildContext& c)
        : v_D_(c.scope.declare("v", {c.where.dims.d}, {Initial::Kind::Default, 0, c.where.dims.d})) {}
    at::Tensor start(const at::Tensor& x_BSD) const override { return v_D_.expand_as(x_BSD); }

private:
    at::Tensor v_D_;
};

}  // namespace

std::unique_ptr<Block> makeLearnedStart(const BuildContext& context) { return std::make_unique<LearnedStart>(context); }

#endif

}  // namespace heddle
