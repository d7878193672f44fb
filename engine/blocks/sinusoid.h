// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#endif

namespace heddle {

/// The form of a sinusoidal position: angle(p, i) = p / 10000^(exponent·i/D), i = 0 … D/2−1, and the layout of sines and
/// cosines.
struct Sinusoid {
    double exponent = 2;
    enum class Layout { Alternating, Halves } layout = Layout::Alternating;
};

/// Component `column` of the vector of width d at `position`.
double sinusoidAt(const Sinusoid& form, std::int64_t position, std::int64_t column, std::int64_t d);

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeSinusoid(const BuildContext& context, const Sinusoid& form);
#endif

}  // namespace heddle
