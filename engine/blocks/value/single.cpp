// SPDX-License-Identifier: Apache-2.0
// One matrix for all keys (StarSaber paper, eq. 1 and the position-encoding variant of its table 6; variants.md 2.3):
//   A_n = Σ_i G_ni (U x_i + b)    G [B,H,Q,K] attention weights; x [B,K,D]; A [B,Q,D]; U [D,D], rows split among the heads
// It is invariant to order: positions must enter elsewhere.
#include "engine/blocks/star_matrix.h"
#include "engine/blocks/value/unprojected_value.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeSingleValue() {
    BlockDescriptor b = describeStarMatrices(1);
    b.title = "One matrix for all keys";
    b.summary =
        "Single value matrix (StarSaber, Xu et al. 2020): one value projection for all keys, without an output projection.";
    b.formulaOf = starMatrixOptions().reading([](const StarMatrixOptions& o) -> std::string {
        return o.bias ? "A_n = Σ_i G_ni (U x_i + b)" : "A_n = Σ_i G_ni U x_i";
    });
    b.shapes = "G [B,H,Q,K]; x [B,K,D]; U [D,D]; A [B,Q,D]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), table 6";
    b.parameters = starMatrixOptions().schema();
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return starMatrixFlops(1, where) + 2.0 * static_cast<double>(where.dims.d * where.sequenceLength());
    };
    b.check = [](const BlockContext& where, const Json&) { return headsFillTheWidth(where); };
    b.isPerHead = true;
    return b;
}

#else

std::unique_ptr<Block> makeSingleValue(const BuildContext& c) {
    const StarMatrixOptions o = starMatrixOptions().read(c.params);
    return std::make_unique<UnprojectedValue<StarMatrix> >(c, StarMatrix(c.scope / "u", c, o));
}

#endif

}  // namespace heddle
