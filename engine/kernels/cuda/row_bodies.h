// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over the rows of residual sums, of logits and of embeddings. A pass is a functor on one row, called by all lanes of a
// team: lane() of lanes(), and sum() and max() reduce over the lanes and return the result to all of them. A team consists of
// warps(), in each of which a lane has a place() of places(), at most 32: vote() gives the lanes of a warp what each of them
// says, as bits in the order of their places, and sumOfWarps() adds up what the lanes of one place have.

#include "engine/kernels/cuda/elements.h"

namespace heddle::cuda {

/// Below every logit and score, and finite, so that differences are not NaN.
inline constexpr float kLowest = -3.4028234e38F;

/// One quad of z = r + g ⊙ s ⊙ drop with its operands.
struct ResidualSum {
    Four z, branch, gate;
};
template <class T>
HEDDLE_BOTH ResidualSum residualSum(const AddNormArguments& a, const Drawing& drop, const Quad& q) {
    ResidualSum sum{{}, load<T>(a.s, q), {{1, 1, 1, 1}}};
    drop.apply(sum.branch, q);
    if (a.gate) {
        sum.gate = load<T>(a.gate, q);
        HEDDLE_UNROLL
        for (float& g : sum.gate.v) g = sigmoid(g);
    }
    const Four r = load<float>(a.r, q);
    HEDDLE_UNROLL
    for (int i = 0; i < 4; ++i) sum.z.v[i] = r.v[i] + sum.gate.v[i] * sum.branch.v[i];
    return sum;
}

/// The width, which is a multiple of 4, is at most 4 · kQuads · the team's lanes: a row stays in registers.
template <class T, int kQuads>
struct AddNormPass {
    AddNormArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const Span span{row * a.width, a.width};
        const Drawing drop(a.drop);
        Four z[kQuads];
        float sum = 0, squares = 0;
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i >= span.quads()) continue;
            z[k] = residualSum<T>(a, drop, span.quad(i)).z;
            sum += total(z[k]);
        }
        const float mean = team.sum(sum) / static_cast<float>(a.width);
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            if (team.lane() + std::int64_t{k} * team.lanes() >= span.quads()) continue;
            HEDDLE_UNROLL
            for (float& v : z[k].v) {
                v -= mean;
                squares += v * v;
            }
        }
        const float variance = team.sum(squares) / static_cast<float>(a.width);
        const float inverse = 1 / std::sqrt(variance + static_cast<float>(a.eps));
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i >= span.quads()) continue;
            const Quad q = span.quad(i);
            const Four weight = load<float>(a.weight, q, -span.begin), bias = load<float>(a.bias, q, -span.begin);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) z[k].v[j] = z[k].v[j] * inverse * weight.v[j] + bias.v[j];
            store<float>(a.y, q, z[k]);
            if (a.y16) store<BFloat16>(a.y16, q, z[k]);
        }
        if (team.lane() == 0) {
            a.mean[row] = mean;
            a.inverse[row] = inverse;
        }
    }
};

/// A row is a block of rowsPerPartial rows, whose sums for the gradients of weight and bias stay in registers, in a fixed
/// order.
template <class T, int kQuads>
struct AddNormBackwardPass {
    AddNormBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t block, Team& team) const {
        const std::int64_t first = block * a.rowsPerPartial, behind = first + a.rowsPerPartial;
        const std::int64_t end = behind < a.forward.rows ? behind : a.forward.rows;
        Four dweight[kQuads] = {}, dbias[kQuads] = {};
        for (std::int64_t row = first; row < end; ++row) oneRow(row, team, dweight, dbias);
        const Span span{block * a.forward.width, a.forward.width};
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i >= span.quads()) continue;
            store<float>(a.dweight, span.quad(i), dweight[k]);
            store<float>(a.dbias, span.quad(i), dbias[k]);
        }
    }

private:
    template <class Team>
    HEDDLE_BOTH void oneRow(std::int64_t row, Team& team, Four (&dweight)[kQuads], Four (&dbias)[kQuads]) const {
        const Span span{row * a.forward.width, a.forward.width};
        const Drawing drop(a.forward.drop);
        const float mean = a.forward.mean[row], inverse = a.forward.inverse[row];
        Four normed[kQuads], scaledGradient[kQuads];  // (z - mean) · inverse; dy ⊙ weight
        float sum = 0, products = 0;
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i >= span.quads()) continue;
            const Quad q = span.quad(i);
            normed[k] = residualSum<T>(a.forward, drop, q).z;
            scaledGradient[k] = outputGradient(q);
            const Four weight = load<float>(a.forward.weight, q, -span.begin);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                float &hat = normed[k].v[j], &g = scaledGradient[k].v[j];
                hat = (hat - mean) * inverse;
                dweight[k].v[j] += g * hat;
                dbias[k].v[j] += g;
                g *= weight.v[j];
                sum += g;
                products += g * hat;
            }
        }
        const auto width = static_cast<float>(a.forward.width);
        const float m1 = team.sum(sum) / width, m2 = team.sum(products) / width;
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i >= span.quads()) continue;
            const Quad q = span.quad(i);
            Four dz;
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) dz.v[j] = (scaledGradient[k].v[j] - m1 - normed[k].v[j] * m2) * inverse;
            store<float>(a.dr, q, dz);
            if (a.forward.gate) throughGate(drop, q, dz);
            drop.apply(dz, q);
            store<T>(a.ds, q, dz);
        }
    }

    HEDDLE_BOTH Four outputGradient(const Quad& q) const {
        Four dy = a.dy ? load<float>(a.dy, q) : Four{};
        if (!a.dy16) return dy;
        const Four dy16 = load<BFloat16>(a.dy16, q);
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) dy.v[j] += dy16.v[j];
        return dy;
    }

    /// dz becomes dz ⊙ g. Recomputes the branch, because registers are scarcer than random words.
    HEDDLE_BOTH void throughGate(const Drawing& drop, const Quad& q, Four& dz) const {
        const ResidualSum at = residualSum<T>(a.forward, drop, q);
        Four dgate;
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) {
            const float g = at.gate.v[j];
            dgate.v[j] = dz.v[j] * at.branch.v[j] * g * (1 - g);
            dz.v[j] *= g;
        }
        store<T>(a.dgate, q, dgate);
    }
};

/// A row of at most kQuads · the team's lanes quads stays in registers: it is read once, with one exponential per element.
template <class T, int kQuads>
struct CrossEntropyPass {
    CrossEntropyArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const Span span{row * a.logitsStride, a.classes};
        const std::int64_t target = a.targets[row];
        if (target == a.ignored) {
            if (a.gradient) {
                const Span ofGradient{row * a.gradientStride, a.classes};
                for (std::int64_t i = team.lane(); i < ofGradient.quads(); i += team.lanes())
                    store<T>(a.gradient, ofGradient.quad(i), {});
            }
            if (team.lane() == 0) writeLosses(row, 0, 0, 0);
            return;
        }
        const std::int64_t shift = row * (a.gradientStride - a.logitsStride);
        if (span.quads() <= std::int64_t{kQuads} * team.lanes()) {
            Four held[kQuads];
            RowStatistics seen = loadRow(span, target, held, team);
            const float most = team.max(seen.most);
            seen.sum = exponentiate(span, most, held, team);
            const float sum = team.sum(seen.sum);
            finishRow(row, target, {most, sum, shift}, seen, team);
            if (a.gradient) differentiateHeld(span, target, {most, sum, shift}, held, team);
        } else {
            const RowStatistics seen = scanRow(span, target, team);
            const float most = team.max(seen.most);
            const float sum = team.sum(seen.sum * std::exp(seen.most - most));
            finishRow(row, target, {most, sum, shift}, seen, team);
            if (a.gradient) differentiate(span, target, {most, sum, shift}, team);
        }
    }

private:
    /// A lane's statistics over its part of a row; `sum` is of exp(z - most).
    struct RowStatistics {
        float most = kLowest, sum = 0, logits = 0, chosen = 0;
    };
    /// Loads the row; all statistics but the sum.
    template <class Team>
    HEDDLE_BOTH RowStatistics loadRow(const Span& span, std::int64_t target, Four (&held)[kQuads], Team& team) const {
        RowStatistics seen;
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i >= span.quads()) continue;
            const Quad q = span.quad(i);
            held[k] = load<T>(a.logits, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                if (!q.holds(j)) continue;
                const float z = held[k].v[j];
                if (z > seen.most) seen.most = z;
                seen.logits += z;
                if (q.first + j == span.begin + target) seen.chosen = z;
            }
        }
        return seen;
    }
    /// Replaces z by exp(z - most), and adds them up.
    template <class Team>
    HEDDLE_BOTH float exponentiate(const Span& span, float most, Four (&held)[kQuads], Team& team) const {
        float sum = 0;
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i >= span.quads()) continue;
            const Quad q = span.quad(i);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                held[k].v[j] = std::exp(held[k].v[j] - most);
                if (q.holds(j)) sum += held[k].v[j];
            }
        }
        return sum;
    }
    template <class Team>
    HEDDLE_BOTH RowStatistics scanRow(const Span& span, std::int64_t target, Team& team) const {
        RowStatistics seen;
        for (std::int64_t i = team.lane(); i < span.quads(); i += team.lanes()) {
            const Quad q = span.quad(i);
            const Four z = load<T>(a.logits, q);
            float most = seen.most;
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j)
                if (q.holds(j) && z.v[j] > most) most = z.v[j];
            if (most > seen.most) {
                seen.sum *= std::exp(seen.most - most);
                seen.most = most;
            }
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                if (!q.holds(j)) continue;
                seen.sum += std::exp(z.v[j] - most);
                seen.logits += z.v[j];
                if (q.first + j == span.begin + target) seen.chosen = z.v[j];
            }
        }
        return seen;
    }

    struct Exponentials {
        float most, sum;
        std::int64_t shift;  ///< offset of the row in the gradient relative to the logits
    };
    template <class Team>
    HEDDLE_BOTH void finishRow(std::int64_t row, std::int64_t target, const Exponentials& of, const RowStatistics& seen,
                               Team& team) const {
        const bool isClass = target >= 0 && target < a.classes;
        const float chosen = isClass ? team.sum(seen.chosen) : NAN;
        const double logSum = of.most + std::log(static_cast<double>(of.sum));
        const double nll = logSum - chosen;
        const double uniform = logSum - static_cast<double>(team.sum(seen.logits)) / static_cast<double>(a.classes);
        if (team.lane() == 0) writeLosses(row, (1 - a.smoothing) * nll + a.smoothing * uniform, nll, chosen >= of.most ? 1 : 0);
    }

    /// scale · (p_v - ε/V - (1-ε)[v = target]), p_v = exponential · factor.
    struct Gradient {
        float factor, less, lessAtTarget;
    };
    HEDDLE_BOTH Gradient gradientOf(const Exponentials& of) const {
        const double scale = a.scaleAt ? *a.scaleAt : a.scale;
        return {static_cast<float>(scale / of.sum), static_cast<float>(scale * a.smoothing / static_cast<double>(a.classes)),
                static_cast<float>(scale * (1 - a.smoothing))};
    }
    HEDDLE_BOTH void storeGradient(const Quad& q, Four exponentials, std::int64_t target, const Gradient& is,
                                   std::int64_t shift) const {
        HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) {
            exponentials.v[j] = exponentials.v[j] * is.factor - is.less;
            if (q.first + j == target) exponentials.v[j] -= is.lessAtTarget;
        }
        store<T>(a.gradient, q, exponentials, shift);
    }
    template <class Team>
    HEDDLE_BOTH void differentiateHeld(const Span& span, std::int64_t target, const Exponentials& of,
                                       const Four (&held)[kQuads], Team& team) const {
        const Gradient is = gradientOf(of);
        HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) {
            const std::int64_t i = team.lane() + std::int64_t{k} * team.lanes();
            if (i < span.quads()) storeGradient(span.quad(i), held[k], span.begin + target, is, of.shift);
        }
    }
    /// Every lane writes only elements that it alone reads.
    template <class Team>
    HEDDLE_BOTH void differentiate(const Span& span, std::int64_t target, const Exponentials& of, Team& team) const {
        const Gradient is = gradientOf(of);
        for (std::int64_t i = team.lane(); i < span.quads(); i += team.lanes()) {
            const Quad q = span.quad(i);
            Four z = load<T>(a.logits, q);
            HEDDLE_UNROLL
            for (float& v : z.v) v = std::exp(v - of.most);
            storeGradient(q, z, span.begin + target, is, of.shift);
        }
    }

    HEDDLE_BOTH void writeLosses(std::int64_t row, double smoothed, double nll, float correct) const {
        a.losses[row] = static_cast<float>(smoothed);
        a.losses[a.rows + row] = static_cast<float>(nll);
        a.losses[2 * a.rows + row] = correct;
    }
};

/// A row is one of the three sums.
struct LossSumsPass {
    CrossEntropyArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t which, Team& team) const {
        double sum = 0;
        for (std::int64_t row = team.lane(); row < a.rows; row += team.lanes()) sum += a.losses[which * a.rows + row];
        sum = team.sum(sum);
        if (which == 0) sum *= a.scaleAt ? *a.scaleAt : a.scale;
        if (team.lane() == 0) a.sums[which] = static_cast<float>(sum);
    }
};

HEDDLE_BOTH int lowestBit(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __ffs(static_cast<int>(bits)) - 1;
#else
    return __builtin_ctz(bits);
#endif
}

/// A row is a position. The team of an id's first position adds up the rows of all of them: each of its warps those of a part
/// of the positions, in ascending order, and then the warps' sums, so that the order is always the same.
template <class T>
struct EmbeddingGradientPass {
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
    static constexpr int kQuads = 4;       ///< of a row that a lane holds
    static constexpr int kAtOnce = 4;      ///< rows whose loads are under way together
    static constexpr int kIdsAtOnce = 16;  ///< likewise the ids that a lane compares

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
            if (team.warp() == 0 && i < to.quads()) store<T>(a.table, to.quad(i), sum);
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
        Four x[kAtOnce][kQuads] = {};
        HEDDLE_UNROLL
        for (int n = 0; n < kAtOnce; ++n) {
            if (found == 0) continue;
            const std::int64_t shift = (at + lowestBit(found) - columns.id) * a.width;
            found &= found - 1;
            HEDDLE_UNROLL
            for (int k = 0; k < kQuads; ++k) {
                const std::int64_t i = columns.own + std::int64_t{k} * columns.step;
                if (i < columns.to.quads()) x[n][k] = load<T>(a.dy, columns.to.quad(i), shift);
            }
        }
        HEDDLE_UNROLL
        for (int n = 0; n < kAtOnce; ++n) HEDDLE_UNROLL
        for (int k = 0; k < kQuads; ++k) HEDDLE_UNROLL
        for (int j = 0; j < 4; ++j) sums[k].v[j] += x[n][k].v[j];
    }
};

/// An item is a block of columns, one quad for each place of a warp, of the rows of a part. The warps take the part's rows in
/// turn, so that the order of the additions is always the same.
template <class T>
struct ColumnSumsPass {
    ColumnSumsArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        const std::int64_t blocks = blocksOfColumns(a, team.places()), parts = partsOfRows(a);
        const std::int64_t own = item % blocks * team.places() + team.place(), slice = item / blocks;
        const std::int64_t first = slice % parts * a.rowsOfPart, behind = first + a.rowsOfPart;
        const std::int64_t end = own * 4 >= a.columns ? 0 : behind < a.rows ? behind : a.rows;
        const std::int64_t origin = slice / parts * a.rows * a.columns + own * 4;
        Four sum{};
        for (std::int64_t row = first + team.warp(); row < end; row += std::int64_t{kAtOnce} * team.warps()) {
            Four x[kAtOnce] = {};
            HEDDLE_UNROLL
            for (int n = 0; n < kAtOnce; ++n) {
                const std::int64_t at = row + std::int64_t{n} * team.warps();
                if (at < end) x[n] = load<T>(a.x, {origin + at * a.columns, 0, 4});
            }
            HEDDLE_UNROLL
            for (int n = 0; n < kAtOnce; ++n) HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) sum.v[j] += x[n].v[j];
        }
        sum = team.sumOfWarps(sum);
        if (team.warp() == 0 && own * 4 < a.columns) store<float>(a.sums, {slice * a.columns + own * 4, 0, 4}, sum);
    }

private:
    static constexpr int kAtOnce = 8;  ///< rows whose loads are under way together
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
