// SPDX-License-Identifier: Apache-2.0
// Sinusoidal position with the sines in the first half and the cosines in the second (Tensor2Tensor, Keras tutorials):
//   PE(p) = [sin(p / 10000^(2i/D)) | cos(p / 10000^(2i/D))], i < D/2; y = x + PE; x, y [B,S,D]. No parameters.
#include "engine/blocks/position/position_options.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/position/sinusoid_table.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeSinusoidConcatPosition() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Sinusoidal position in halves";
    b.summary =
        "Sinusoidal position encoding of Tensor2Tensor (Vaswani et al. 2018): the same sines and cosines, with all sines "
        "before all cosines.";
    b.formula = "PE(p) = [sin(p / 10000^(2i/d)) | cos(…)], i < d/2";
    b.shapes = "PE [S,D], added to [B,S,D]";
    b.reference = "Tensor2Tensor (Vaswani et al. 2018, arXiv 1803.07416)";
    b.parameters = positionOptions().schema();
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.dims.d % 2 == 0) return std::nullopt;
        return Problem{"", "an odd width cannot be halved", "choose an even d, or position sinusoid"};
    };
    return b;
}

#else

std::unique_ptr<Block> makeSinusoidConcatPosition(const BuildContext& context) {
    return makeSinusoid(context, {2, Sinusoid::Layout::Halves});
}

#endif

}  // namespace heddle
