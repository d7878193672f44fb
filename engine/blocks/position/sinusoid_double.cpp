// SPDX-License-Identifier: Apache-2.0
// Sinusoidal position as the listing of the Atinuke paper computes it (variants.md 3.2), the exponent doubled:
//   PE(p, 2i) = sin(p / 10000^(4i/D)), PE(p, 2i+1) = cos of the same; y = x + PE; x, y [B,S,D]. No parameters.
#include "engine/blocks/position/position_options.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/position/sinusoid_table.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeSinusoidDoublePosition() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Sinusoidal position, doubled exponent";
    b.summary =
        "Sinusoidal position encoding as in the listing of Atinuke (Oketunji 2024): the exponent of the wavelengths is twice "
        "that of Vaswani et al. 2017.";
    b.formula = "PE(p, 2i) = sin(p / 10000^(4i/d)), PE(p, 2i+1) = cos(…)";
    b.shapes = "PE [S,D], added to [B,S,D]";
    b.reference = "Atinuke paper (Oketunji 2024), listing";
    b.parameters = positionOptions().schema();
    return b;
}

#else

std::unique_ptr<Block> makeSinusoidDoublePosition(const BuildContext& context) {
    return makeSinusoid(context, {4, Sinusoid::Layout::Alternating});
}

#endif

}  // namespace heddle
