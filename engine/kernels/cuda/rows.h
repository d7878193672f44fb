// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by all passes over rows. A pass is a functor on one row, and all lanes of a team call it. lane() is the number of a
// lane, of lanes(). sum() and max() reduce over the lanes and return the result to all of them. A team consists of warps(); in
// its warp a lane has a place(), of places(), at most 32. vote() returns one bit from each lane of the warp, in the order of
// places. sumOfWarps() adds up the values of the lanes that have the same place. A team has a number() among the teams() that
// share a block. sumOfTeams() adds up the values of the lanes that have the same number; all teams must call it, and the first
// gets the sum. kThreadsAtOnce of a pass says how many threads a multiprocessor must hold at once; this limits their registers.

#include "engine/kernels/cuda/elements.h"

namespace heddle::cuda {

/// Whether a team is of the largest size (kMostQuads), whose threads have the fewest registers.
template <class Team>
inline constexpr bool isLargest = false;

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

/// Rows [first, end) of the quad of columns that begins at element `at` of row 0; `columns` elements from row to row.
struct QuadOfRows {
    std::int64_t at, columns, first, end;

    HEDDLE_BOTH Quad quad(std::int64_t row) const { return {at + row * columns, 0, 4}; }
};

/// Calls use(quad, read(quad)) for the rows, of which the warps of the team take turns. Reads kAtOnce rows before it uses the
/// first.
template <int kAtOnce, class Team, class Read, class Use>
HEDDLE_BOTH void forRowsInTurn(const QuadOfRows& of, Team& team, const Read& read, const Use& use) {
    for (std::int64_t row = of.first + team.warp(); row < of.end; row += std::int64_t{kAtOnce} * team.warps()) {
        decltype(read(Quad{})) operands[kAtOnce];
        HEDDLE_UNROLL
        for (int n = 0; n < kAtOnce; ++n) {
            const std::int64_t at = row + std::int64_t{n} * team.warps();
            operands[n] = read(of.quad(at < of.end ? at : row));
        }
        HEDDLE_UNROLL
        for (int n = 0; n < kAtOnce; ++n) {
            const std::int64_t at = row + std::int64_t{n} * team.warps();
            if (at < of.end) use(of.quad(at), operands[n]);
        }
    }
}

/// A quad of columns in a part of the rows, and where its sum lies.
struct QuadOfPart {
    QuadOfRows rows;
    std::int64_t sumAt;
    bool isThere;
};

/// The quad that this lane has of an item, which is a part of the rows and a block of columns: each place of a warp has one.
template <class Arguments, class Team>
HEDDLE_BOTH QuadOfPart quadOfItem(const Arguments& a, std::int64_t item, Team& team) {
    const std::int64_t blocks = blocksOfColumns(a, team.places()), parts = partsOfRows(a);
    const std::int64_t column = (item % blocks * team.places() + team.place()) * 4, slice = item / blocks;
    const std::int64_t first = slice % parts * a.rowsOfPart, behind = first + a.rowsOfPart;
    const std::int64_t end = column >= a.columns ? 0 : behind < a.rows ? behind : a.rows;
    return {
        {slice / parts * a.rows * a.columns + column, a.columns, first, end}, slice * a.columns + column, column < a.columns};
}

/// Stores the sum of all warps; null: nowhere.
template <class Team>
HEDDLE_BOTH void storeSum(float* sums, const QuadOfPart& own, const Four& sum, Team& team) {
    if (!sums) return;  // with the whole team
    const Four all = team.sumOfWarps(sum);
    if (team.warp() == 0 && own.isThere) store<float>(sums, {own.sumAt, 0, 4}, all);
}

/// Calls use(row) for the rows of a block, of which its teams take turns; a block is the rows of one partial sum.
template <class BackwardArguments, class Team, class Use>
HEDDLE_BOTH void forRowsOfBlock(const BackwardArguments& a, std::int64_t block, Team& team, const Use& use) {
    const std::int64_t first = block * a.rowsPerPartial, behind = first + a.rowsPerPartial;
    const std::int64_t end = behind < a.forward.rows ? behind : a.forward.rows;
    for (std::int64_t row = first + team.number(); row < end; row += team.teams()) use(row);
}

/// Stores the sum of all teams of a block in a row of `sums`; null: nowhere.
template <int kQuads, class Team>
HEDDLE_BOTH void storeSumOfTeams(float* sums, const Span& row, const Four (&ofTeam)[kQuads], Team& team) {
    if (!sums) return;  // with the whole block
    HEDDLE_UNROLL
    for (int k = 0; k < kQuads; ++k) {
        const Four all = team.sumOfTeams(ofTeam[k]);
        const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
        if (team.number() == 0 && i < row.quads()) store<float>(sums, row.quad(i), all);
    }
}

}  // namespace heddle::cuda
