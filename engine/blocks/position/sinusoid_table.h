// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"

namespace heddle {

/// The form of a sinusoidal position: angle(p, i) = p / 10000^(exponent·i/D), i = 0 … D/2−1, and the layout of sines and
/// cosines.
struct Sinusoid {
    double exponent = 2;
    enum class Layout { Alternating, Halves } layout = Layout::Alternating;
};

std::unique_ptr<Block> makeSinusoid(const BuildContext& context, const Sinusoid& form);

}  // namespace heddle
