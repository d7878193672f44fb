// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by all passes over rows. A pass is a functor on one row, and all lanes of a team call it. lane() is the number of a
// lane, of lanes(). sum() and max() reduce over the lanes and return the result to all of them. A team consists of warps(); in
// its warp a lane has a place(), of places(), at most 32. vote() returns one bit from each lane of the warp, in the order of
// places. sumOfWarps() adds up the values of the lanes that have the same place. kTeamsAtOnce of a pass says how many teams of
// the largest size a multiprocessor must hold at once; this limits the registers of a thread.

#include "engine/kernels/cuda/elements.h"

namespace heddle::cuda {

/// Below every logit and score, and finite, so that differences are not NaN.
inline constexpr float kLowest = -3.4028234e38F;

/// Calls use(k, quad) for the quads of a row that a lane holds, of which there are at most kQuads; k counts them.
template <int kQuads, class Team, class Use>
HEDDLE_BOTH void forOwnQuads(const Span& span, Team& team, const Use& use) {
    HEDDLE_UNROLL
    for (int k = 0; k < kQuads; ++k) {
        const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
        if (i < span.quads()) use(k, span.quad(i));
    }
}

/// Calls use(row) for the rows of block `block`; a block is the rows of one partial sum.
template <class BackwardArguments, class Use>
HEDDLE_BOTH void forRowsOfBlock(const BackwardArguments& a, std::int64_t block, const Use& use) {
    const std::int64_t first = block * a.rowsPerPartial, behind = first + a.rowsPerPartial;
    const std::int64_t end = behind < a.forward.rows ? behind : a.forward.rows;
    for (std::int64_t row = first; row < end; ++row) use(row);
}

}  // namespace heddle::cuda
