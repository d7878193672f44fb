// SPDX-License-Identifier: Apache-2.0
// Sinusoidal position, as printed (Vaswani et al. 2017, section 3.5; EAU baseline; thesis; Atinuke figure 3):
//   PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos of the same; y = x + PE; x, y [B,S,D]. No parameters.
#include "engine/blocks/position/position_options.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/position/sinusoid_table.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeSinusoidPosition() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Sinusoidal position";
    b.summary =
        "Sinusoidal position encoding (Vaswani et al. 2017): adds sines and cosines of geometrically spaced wavelengths in "
        "alternating components.";
    b.formula = "PE(p, 2i) = sin(p / 10000^(2i/d)), PE(p, 2i+1) = cos(…)";
    b.shapes = "PE [S,D], added to [B,S,D]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.5";
    b.parameters = positionOptions().schema();
    return b;
}

#else

std::unique_ptr<Block> makeSinusoidPosition(const BuildContext& context) {
    return makeSinusoid(context, {2, Sinusoid::Layout::Alternating});
}

#endif

}  // namespace heddle
