// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes that add up rows or count values (gradients of embeddings and biases, histograms), and a pass that moves rows.

#include "engine/device/cuda_embedding_arguments.h"
#include "engine/kernels/cuda/rows.h"

namespace heddle::cuda {

HEDDLE_BOTH int lowestBit(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return __builtin_ctz(bits);
#endif
}

/// Adds `sum` to the quad.
template <class T>
HEDDLE_BOTH void addTo(void* tensor, const Quad& q, Four sum) {
    const Four before = load<T>(tensor, q);
    HEDDLE_UNROLL
    for (int j = 0; j < 4; ++j) sum.v[j] += before.v[j];
    store<T>(tensor, q, sum);
}

/// Blocks of a row's columns, in each of which the places of a warp have a quad.
constexpr std::int64_t blocksOfColumns(const EmbeddingGradientArguments& a, int places) {
    return (quadsOf(a.width) + places - 1) / places;
}

/// An item is a place of the order and a block of columns. The team at the first place of an id adds up the
/// gradient rows of all positions of that id, which are the next places. Its warps take kAtOnce places each in turn, so the
/// order of the additions is always the same. kDrops: rows are dropped from, scaled and have gradients of copies.
template <class T, bool kDrops>
struct SortedEmbeddingGradientPass {
    static constexpr int kThreadsAtOnce = kDrops ? 512 : 1024;
    SortedEmbeddingGradientArguments in;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        const EmbeddingGradientArguments& a = in.of;
        const std::int64_t blocks = blocksOfColumns(a, team.places()), first = item / blocks;
        const std::int64_t id = a.ids[in.order[first]], before = first > 0 ? a.ids[in.order[first - 1]] : -1;
        if (id == before || id == a.ignored || id < 0 || id >= a.words) return;
        const Span to{id * a.width, a.width};
        const std::int64_t own = item % blocks * team.places() + team.place();
        const bool hasQuad = own < to.quads();
        const Quad q = to.quad(hasQuad ? own : 0);
        Four sum{};
        std::int64_t place = first + std::int64_t{kAtOnce} * team.warp();
        while (addPlaces(place, id, q, sum)) place += std::int64_t{kAtOnce} * team.warps();
        sum = team.sumOfWarps(sum);
        if (team.warp() == 0 && hasQuad) addTo<T>(a.table, q, sum);
    }

private:
    static constexpr int kAtOnce = 8;                       ///< places that a warp takes in turn
    static constexpr int kTogether = kDrops ? 4 : kAtOnce;  ///< rows whose loads are under way together

    /// Adds to `sum` the quads of the rows at the next kAtOnce places that have the id. Returns whether all of them have it.
    HEDDLE_BOTH bool addPlaces(std::int64_t place, std::int64_t id, const Quad& q, Four& sum) const {
        for (int n = 0; n < kAtOnce; n += kTogether)
            if (!addRows(place + n, id, q, sum)) return false;
        return true;
    }
    HEDDLE_BOTH bool addRows(std::int64_t place, std::int64_t id, const Quad& q, Four& sum) const {
        const EmbeddingGradientArguments& a = in.of;
        std::int64_t from[kTogether];  // positions; -1: behind the last place of the id
        HEDDLE_UNROLL
        for (int n = 0; n < kTogether; ++n) from[n] = place + n < a.rows ? in.order[place + n] : -1;
        HEDDLE_UNROLL
        for (int n = 0; n < kTogether; ++n)
            if (from[n] >= 0 && a.ids[from[n]] != id) from[n] = -1;
        Operands x[kTogether] = {};
        HEDDLE_UNROLL
        for (int n = 0; n < kTogether; ++n)
            if (from[n] >= 0) x[n] = operandsOf({q.first + (from[n] - id) * a.width, q.begin, q.end});
        const Drawing drop(in.drop);
        HEDDLE_UNROLL
        for (int n = 0; n < kTogether; ++n)
            if (from[n] >= 0) sum = added(sum, rowOf(x[n], drop, {q.first + (from[n] - id) * a.width, q.begin, q.end}));
        return from[kTogether - 1] >= 0;
    }

    /// A quad of a row, as it lies in memory.
    struct Operands {
        Together<T> dy;
        Together<BFloat16> added[kDrops ? DropoutArguments::kAdded : 1];
    };
    HEDDLE_BOTH Operands operandsOf(const Quad& q) const {
        Operands x{fetch<T>(in.of.dy, q), {}};
        if constexpr (kDrops) {
            HEDDLE_UNROLL
            for (int i = 0; i < DropoutArguments::kAdded; ++i)
                if (in.added[i]) x.added[i] = fetch<BFloat16>(in.added[i], q);
        }
        return x;
    }
    HEDDLE_BOTH Four rowOf(const Operands& x, const Drawing& drop, const Quad& q) const {
        Four row = widened(x.dy);
        if constexpr (kDrops) {
            HEDDLE_UNROLL
            for (const Together<BFloat16>& one : x.added) row = cuda::added(row, widened(one));
            drop.apply(row, q);
            HEDDLE_UNROLL
            for (float& v : row.v) v = product(v, in.scale);
        }
        return row;
    }
};

/// The rows of a table that ids name, with positions and dropout. An item is a row.
struct EmbedPass {
    EmbedArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const std::int64_t id = a.ids[row], place = a.positions ? row % a.places : 0;
        const bool isThere = id >= 0 && id < a.words;
        const Span span{row * a.width, a.width};
        const Drawing drop(a.drop);
        for (std::int64_t i = team.lane(); i < span.quads(); i += team.lanes()) {
            const Quad q = span.quad(i);
            const Together<float> vector = fetch<float>(a.table, q, ((isThere ? id : 0) - row) * a.width);
            const Together<float> position =
                a.positions ? fetch<float>(a.positions, q, (place - row) * a.width) : Together<float>{};
            Four x;
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) x.v[j] = isThere ? product(vector.v[j], a.scale) : NAN;
            if (a.positions) x = added(x, widened(position));
            drop.apply(x, q);
            store<float>(a.y, q, x);
            if (a.y16) store<BFloat16>(a.y16, q, x);
        }
    }
};

/// A row is a position. The team at the first position of an id adds up the gradient rows of all positions of
/// that id. Each warp adds up a part of the positions in ascending order; then the warps' sums are added. So the order is
/// always the same.
template <class T>
struct EmbeddingGradientPass {
    static constexpr int kThreadsAtOnce = 1024;  ///< half as many more would spill registers
    EmbeddingGradientArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const std::int64_t id = a.ids[row];
        if (id == a.ignored || id < 0 || id >= a.words) return;
        const std::int64_t share = (a.rows + team.warps() - 1) / team.warps(), begin = team.warp() * share;
        const std::int64_t end = begin + share < a.rows ? begin + share : a.rows;
        const bool isRepeated = has(id, begin, end < row ? end : row, team);
        if (team.max(isRepeated ? 1.0F : 0.0F) > 0) return;
        const std::int64_t quads = Span{id * a.width, a.width}.quads();
        for (std::int64_t first = 0; first < quads; first += std::int64_t{kQuads} * team.places())
            sumColumns(id, {begin < row ? row : begin, end, first}, team);
    }

private:
    static constexpr int kQuads = 1;      ///< of a row that a lane holds; more would leave registers for fewer teams
    static constexpr int kAtOnce = 4;     ///< rows whose loads are under way together
    static constexpr int kIdsAtOnce = 8;  ///< likewise the ids that a lane compares

    /// Whether one of the next kIdsAtOnce positions of every lane, before end, has the id.
    template <class Team>
    HEDDLE_BOTH bool hasNear(std::int64_t id, std::int64_t at, std::int64_t end, Team& team) const {
        bool isThere = false;
        HEDDLE_UNROLL
        for (int n = 0; n < kIdsAtOnce; ++n) {
            const std::int64_t own = at + std::int64_t{n} * team.places() + team.place();
            isThere |= own < end && a.ids[own] == id;
        }
        return team.vote(isThere) != 0;
    }

    /// Whether a position of [begin, end) has the id.
    template <class Team>
    HEDDLE_BOTH bool has(std::int64_t id, std::int64_t begin, std::int64_t end, Team& team) const {
        for (std::int64_t at = begin; at < end; at += std::int64_t{kIdsAtOnce} * team.places())
            if (hasNear(id, at, end, team)) return true;
        return false;
    }

    /// The warp's positions, and the first of the quads of a row.
    struct Part {
        std::int64_t begin, end, firstQuad;
    };
    template <class Team>
    HEDDLE_BOTH void sumColumns(std::int64_t id, const Part& part, Team& team) const {
        const Span to{id * a.width, a.width};
        const std::int64_t own = part.firstQuad + team.place();
        Four sums[kQuads] = {};
        for (std::int64_t near = part.begin; near < part.end; near += std::int64_t{kIdsAtOnce} * team.places()) {
            if (!hasNear(id, near, part.end, team)) continue;
            for (int n = 0; n < kIdsAtOnce; ++n) {
                const std::int64_t at = near + std::int64_t{n} * team.places();
                std::uint32_t found = team.vote(at + team.place() < part.end && a.ids[at + team.place()] == id);
                while (found != 0) addRows(at, found, {to, own, team.places(), id}, sums);
            }
        }
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const Four sum = team.sumOfWarps(sums[k]);
            const std::int64_t i = own + std::int64_t{k} * team.places();
            if (team.warp() == 0 && i < to.quads()) addTo<T>(a.table, to.quad(i), sum);
        }
    }

    /// The quads of a row that a lane adds up: those from `own` on, a step apart.
    struct Columns {
        Span to;
        std::int64_t own;
        int step;
        std::int64_t id;
    };
    /// Adds the rows of the kAtOnce lowest bits, and clears these bits.
    HEDDLE_BOTH void addRows(std::int64_t at, std::uint32_t& found, const Columns& columns, Four (&sums)[kQuads]) const {
        Together<T> x[kAtOnce][kQuads] = {};
        HEDDLE_UNROLL
        for (int n = 0; n < kAtOnce; ++n) {
            if (found == 0) continue;
            const std::int64_t shift = (at + lowestBit(found) - columns.id) * a.width;
            found &= found - 1;
            HEDDLE_UNROLL
            for (int k = 0; k < kQuads; ++k) {
                const std::int64_t i = columns.own + std::int64_t{k} * columns.step;
                if (i < columns.to.quads()) x[n][k] = fetch<T>(a.dy, columns.to.quad(i), shift);
            }
        }
        HEDDLE_UNROLL
        for (int n = 0; n < kAtOnce; ++n) HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) sums[k].v[j] += toFloat(x[n][k].v[j]);
    }
};

/// The sum of a quad over the rows of a warp. The warps take turns, so the order of the additions is always the same.
template <class T, class Team>
HEDDLE_BOTH Four sumOfRows(const void* x, const QuadOfRows& of, Team& team) {
    constexpr int kAtOnce = 8;  // rows whose loads are under way together
    Four sum{};
    forRowsInTurn<kAtOnce>(
        of, team, [&](const Quad& q) { return fetch<T>(x, q); },
        [&](const Quad&, const Together<T>& read) {
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) sum.v[j] += toFloat(read.v[j]);
        });
    return sum;
}

template <class T>
struct ColumnSumsPass {
    static constexpr int kThreadsAtOnce = 2048;
    ColumnSumsArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        const QuadOfPart own = quadOfItem(a, item, team);
        storeSum(a.sums, own, sumOfRows<T>(a.x, own.rows, team), team);
    }
};

/// An item is a block of kQuadsOfItem quads of the columns of an entry.
struct PackedSumsPass {
    static constexpr int kThreadsAtOnce = 2048;
    PackedSumsArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        const PackedSum& entry = a.of[entryOf(item)];
        const std::int64_t firstQuad = (item - entry.firstItem) * PackedSumsArguments::kQuadsOfItem;
        for (int step = 0; step < PackedSumsArguments::kQuadsOfItem; step += team.places()) {
            const int within = step + team.place();
            const std::int64_t at = (firstQuad + within) * 4;
            const bool isOwn = within < PackedSumsArguments::kQuadsOfItem && at < entry.columns;
            const QuadOfPart own{{at, entry.columns, 0, isOwn ? entry.parts : 0}, at, isOwn};
            storeSum(entry.sums, own, sumOfRows<float>(entry.partial, own.rows, team), team);
        }
    }

private:
    /// The last entry whose first item is not behind this one.
    HEDDLE_BOTH int entryOf(std::int64_t item) const {
        int low = 0;
        for (int high = a.count; high - low > 1;) {
            const int middle = (low + high) / 2;
            (a.of[middle].firstItem <= item ? low : high) = middle;
        }
        return low;
    }
};

/// Each item is one count, except the last, which is all four moments.
template <class T>
struct HistogramPass {
    HistogramArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        if (item < a.bins + 3)
            count(item, team);
        else
            addMoments(team);
    }

private:
    static constexpr int kAtOnce = 8;  ///< values whose loads are under way together

    HEDDLE_BOTH static bool isFinite(float x) { return x >= kLowest && x <= -kLowest; }
    HEDDLE_BOTH std::int64_t columnOf(float x) const {
        if (!isFinite(x)) return a.bins + 2;
        if (x < a.low) return a.bins;
        if (x > a.high) return a.bins + 1;
        const auto bin = static_cast<std::int64_t>((x - a.low) * a.binsPerUnit);
        return bin < a.bins ? bin : a.bins - 1;
    }
    /// Calls `use` for every value of a lane.
    template <class Team, class Use>
    HEDDLE_BOTH void forEach(Team& team, const Use& use) const {
        const T* const values = static_cast<const T*>(a.x);
        for (std::int64_t i = team.lane(); i < a.n; i += std::int64_t{kAtOnce} * team.lanes()) {
            T x[kAtOnce];
            HEDDLE_UNROLL
            for (int n = 0; n < kAtOnce; ++n) {
                const std::int64_t at = i + std::int64_t{n} * team.lanes();
                x[n] = values[at < a.n ? at : i];
            }
            HEDDLE_UNROLL
            for (int n = 0; n < kAtOnce; ++n)
                if (i + std::int64_t{n} * team.lanes() < a.n) use(toFloat(x[n]));
        }
    }
    template <class Team>
    HEDDLE_BOTH void count(std::int64_t column, Team& team) const {
        int found = 0;
        forEach(team, [&](float x) { found += columnOf(x) == column ? 1 : 0; });
        found = team.sum(found);
        if (team.lane() == 0) a.row[column] = found;
    }
    template <class Team>
    HEDDLE_BOTH void addMoments(Team& team) const {
        double sum = 0, squares = 0;
        float least = INFINITY, most = -INFINITY;
        forEach(team, [&](float x) {
            if (!isFinite(x)) return;
            sum += x;
            squares += static_cast<double>(x) * x;
            least = x < least ? x : least;
            most = x > most ? x : most;
        });
        sum = team.sum(sum), squares = team.sum(squares), least = -team.max(-least), most = team.max(most);
        if (team.lane() != 0) return;
        double* const moments = a.row + a.bins + 3;
        moments[0] = sum, moments[1] = squares, moments[2] = least, moments[3] = most;
    }
};

template <class T>
struct ScatterRowsPass {
    ScatterRowsArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const std::int64_t to = a.at[row];
        if (row > 0 && a.at[row - 1] == to) return;
        const Span span{row * a.width, a.width};
        for (std::int64_t i = team.lane(); i < span.quads(); i += team.lanes()) {
            const Quad q = span.quad(i);
            store<T>(a.to, q, load<T>(a.from, q), (to - row) * a.width);
        }
    }
};

}  // namespace heddle::cuda
