// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over the rows of StarSaber's update, y = h + α ⊙ drop ⊙ tanh(a + direct).

#include "engine/kernels/cuda/rows.h"

namespace heddle::cuda {

/// One quad of a, direct and α as they lie in memory; 0 for an operand that is not there.
template <class T>
struct UpdateOperands {
    Together<T> a, direct;
    Together<float> alpha;

    HEDDLE_BOTH static UpdateOperands of(const TanhUpdateArguments& in, std::int64_t row, const Quad& q) {
        UpdateOperands x{fetch<T>(in.a, q), {}, {}};
        if (in.direct) x.direct = fetch<T>(in.direct, q, row * (in.directStride - in.width));
        if (in.alpha && in.alphaElements > 1) x.alpha = fetch<float>(in.alpha, q, -row * in.width);
        return x;
    }
    HEDDLE_BOTH Four tanhOfSum() const {
        Four t = widened(a);
        const Four other = widened(direct);
        HEDDLE_UNROLL
        for (int i = 0; i < 4; ++i) t.v[i] = std::tanh(t.v[i] + other.v[i]);
        return t;
    }
    /// α; `one`: its value where it is one number (weightOf).
    HEDDLE_BOTH Four weights(const TanhUpdateArguments& in, float one) const {
        return in.alpha && in.alphaElements > 1 ? widened(alpha) : Four{{one, one, one, one}};
    }
};

/// α where it is one number, read once for a row; unused where it is a vector.
HEDDLE_BOTH float weightOf(const TanhUpdateArguments& in) { return in.alpha ? in.alpha[0] : in.weight; }

template <class T>
struct TanhUpdatePass {
    TanhUpdateArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const Span span{row * a.width, a.width};
        const Drawing drop(a.drop);
        const float one = weightOf(a);
        for (std::int64_t i = team.lane(); i < span.quads(); i += team.lanes()) {
            const Quad q = span.quad(i);
            const UpdateOperands<T> operands = UpdateOperands<T>::of(a, row, q);
            const Together<float> h = fetch<float>(a.h, q);
            Four update = operands.tanhOfSum(), y = widened(h);
            const Four alpha = operands.weights(a, one);
            drop.apply(update, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) y.v[j] += alpha.v[j] * update.v[j];
            store<float>(a.y, q, y);
            if (a.y16) store<BFloat16>(a.y16, q, y);
        }
    }
};

/// The teams of a block take turns in rowsPerPartial rows. Their sums for the gradient of α stay in registers, and are added up
/// in the end.
template <class T, int kQuads>
struct TanhUpdateBackwardPass {
    static constexpr int kThreadsAtOnce = kMostLanes;
    TanhUpdateBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t block, Team& team) const {
        Four dalpha[kQuads] = {};
        forRowsOfBlock(a, block, team, [&](std::int64_t row) { oneRow(row, team, dalpha); });
        if (a.dalpha) storeSums(block, team, dalpha);
    }

private:
    template <class Team>
    HEDDLE_BOTH void oneRow(std::int64_t row, Team& team, Four (&dalpha)[kQuads]) const {
        const TanhUpdateArguments& in = a.forward;
        const Span span{row * in.width, in.width};
        const Drawing drop(in.drop);
        const float one = weightOf(in);
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            const UpdateOperands<T> operands = UpdateOperands<T>::of(in, row, q);
            const Together<float> ofSum = a.dy ? fetch<float>(a.dy, q) : Together<float>{};
            Together<BFloat16> ofCopy[2] = {};
            HEDDLE_UNROLL
            for (int n = 0; n < 2; ++n)
                if (a.dy16[n]) ofCopy[n] = fetch<BFloat16>(a.dy16[n], q);
            const Four t = operands.tanhOfSum(), alpha = operands.weights(in, one);
            Four dy = widened(ofSum), kept{{1, 1, 1, 1}}, da;
            drop.apply(kept, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                dy.v[j] = dy.v[j] + toFloat(ofCopy[0].v[j]) + toFloat(ofCopy[1].v[j]);
                const float throughDrop = dy.v[j] * kept.v[j];
                dalpha[k].v[j] += throughDrop * t.v[j];
                da.v[j] = throughDrop * alpha.v[j] * (1 - t.v[j] * t.v[j]);
            }
            if (a.dh) store<float>(a.dh, q, dy);
            store<T>(a.da, q, da, row * (a.daStride - in.width));
        });
    }

    template <class Team>
    HEDDLE_BOTH void storeSums(std::int64_t block, Team& team, const Four (&dalpha)[kQuads]) const {
        if (a.forward.alphaElements > 1)
            return storeSumOfTeams(a.dalpha, {block * a.forward.width, a.forward.width}, dalpha, team);
        float sum = 0;
        HEDDLE_UNROLL
        for (const Four& one : dalpha) sum += total(one);
        const Four all[1] = {{{team.sum(sum), 0, 0, 0}}};
        storeSumOfTeams(a.dalpha, {block * 4, 4}, all, team);
    }
};

}  // namespace heddle::cuda
