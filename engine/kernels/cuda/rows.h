// SPDX-License-Identifier: Apache-2.0
#pragma once

// What passes over rows share. A pass is a functor on one row, called by all lanes of a
// team: lane() of lanes(), and sum() and max() reduce over the lanes and return the result to all of them. A team consists of
// warps(), in each of which a lane has a place() of places(), at most 32: vote() gives the lanes of a warp what each of them
// says, as bits in the order of their places, and sumOfWarps() adds up what the lanes of one place have. A pass may say how
// many teams of the largest size a multiprocessor must hold at once (kTeamsAtOnce): it bounds the registers of a thread.

#include "engine/kernels/cuda/elements.h"

namespace heddle::cuda {

/// Below every logit and score, and finite, so that differences are not NaN.
inline constexpr float kLowest = -3.4028234e38F;

}  // namespace heddle::cuda
