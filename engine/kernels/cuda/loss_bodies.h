// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over the rows of logits.

#include "engine/kernels/cuda/rows.h"

namespace heddle::cuda {

/// A row of at most kQuads · the team's lanes quads stays in registers: it is read once, with one exponential per element.
template <class T, int kQuads>
struct CrossEntropyPass {
    static constexpr int kThreadsAtOnce = 1024;
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
    /// A lane's statistics over its part of a row; `sum` is of exp(z - most), `before` the maximum before the target.
    struct RowStatistics {
        float most = kLowest, before = kLowest, sum = 0, logits = 0, chosen = 0;
    };
    /// Adds the element at `index` to all statistics but the maximum and the sum.
    HEDDLE_BOTH static void count(float z, std::int64_t index, std::int64_t target, RowStatistics& seen) {
        seen.logits += z;
        if (index == target) seen.chosen = z;
        if (index < target && z > seen.before) seen.before = z;
    }
    /// Loads the row; all statistics but the sum.
    template <class Team>
    HEDDLE_BOTH RowStatistics loadRow(const Span& span, std::int64_t target, Four (&held)[kQuads], Team& team) const {
        Together<T> logits[kQuads];
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) { logits[k] = fetch<T>(a.logits, q); });
        RowStatistics seen;
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            held[k] = widened(logits[k]);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                if (!q.holds(j)) continue;
                const float z = held[k].v[j];
                if (z > seen.most) seen.most = z;
                count(z, q.first + j, span.begin + target, seen);
            }
        });
        return seen;
    }
    /// Replaces z by exp(z - most), and adds them up.
    template <class Team>
    HEDDLE_BOTH float exponentiate(const Span& span, float most, Four (&held)[kQuads], Team& team) const {
        float sum = 0;
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                held[k].v[j] = std::exp(held[k].v[j] - most);
                if (q.holds(j)) sum += held[k].v[j];
            }
        });
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
                count(z.v[j], q.first + j, span.begin + target, seen);
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
        const float chosen = isClass ? team.sum(seen.chosen) : NAN, logits = team.sum(seen.logits);
        const float before = team.max(seen.before);
        if (team.lane() != 0) return;
        const double logSum = of.most + std::log(static_cast<double>(of.sum));
        const double nll = logSum - chosen;
        const double uniform = logSum - static_cast<double>(logits) / static_cast<double>(a.classes);
        const bool isFirstOfEquals = chosen >= of.most && before < chosen;
        double smoothed = (1 - a.smoothing) * nll + a.smoothing * uniform;
        if (a.zLoss != 0) smoothed += a.zLoss * logSum * logSum;
        writeLosses(row, smoothed, nll, isFirstOfEquals ? 1 : 0);
    }

    /// scale · ((1 + 2ζ log Z) p_v - ε/V - (1-ε)[v = target]) with ζ of the z-loss; (1 + 2ζ log Z) p_v = exponential · factor.
    struct Gradient {
        float factor, less, lessAtTarget;
    };
    HEDDLE_BOTH Gradient gradientOf(const Exponentials& of) const {
        const auto scale = static_cast<float>(a.scaleAt ? *a.scaleAt : a.scale), smoothing = static_cast<float>(a.smoothing);
        float factor = scale / of.sum;
        if (a.zLoss != 0) factor *= 1 + 2 * static_cast<float>(a.zLoss) * (of.most + std::log(of.sum));
        return {factor, scale * smoothing / static_cast<float>(a.classes), scale * (1 - smoothing)};
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
        forOwnQuads<kQuads>(span, team,
                            [&](int k, const Quad& q) { storeGradient(q, held[k], span.begin + target, is, of.shift); });
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

}  // namespace heddle::cuda
