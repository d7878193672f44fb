// SPDX-License-Identifier: Apache-2.0
// A value that Heddle does not have: every head mixes its part of the stream itself, without a projection before or after.
//   o = [p_1 (w ⊙ x)_1; …; p_H (w ⊙ x)_H]    p [B,H,Q,K] attention weights; x [B,K,D], H·E = D; w [D]; o [B,Q,D]
#include "engine/blocks/value/unprojected_value.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeBareValue() {
    BlockDescriptor b;
    b.title = "The stream itself";
    b.summary = "Every head mixes its part of the stream.";
    b.formula = "o = [p₁ (w ⊙ x)₁; …; p_H (w ⊙ x)_H]";
    b.shapes = "p [B,H,Q,K]; x [B,K,D], H·E = D; w [D]; o [B,Q,D]";
    b.reference = "nobody; a test";
    b.parameterCount = [](const BlockContext& where, const Json&) { return where.dims.d; };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(where.dims.d * where.sequenceLength());
    };
    b.check = [](const BlockContext& where, const Json&) { return headsFillTheWidth(where); };
    b.isPerHead = true;
    return b;
}

#else

namespace {

/// w ⊙ x
struct Scaled {
    at::Tensor w_D;
    at::Tensor operator()(const at::Tensor& x_BKD) const { return x_BKD * w_D; }
};

}  // namespace

std::unique_ptr<Block> makeBareValue(const BuildContext& c) {
    return std::make_unique<UnprojectedValue<Scaled> >(c,
                                                       Scaled{c.scope.declare("w", {c.where.dims.d}, {Initial::Kind::Ones})});
}

#endif

}  // namespace heddle
