// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over the rows of scores whose weights are split at the query: for keys before it, and for keys after it.

#include "engine/kernels/cuda/score_bodies.h"

namespace heddle::cuda {

/// A quad of keys, of each of which kParts elements lie side by side in memory.
template <int kParts>
struct QuadOfParts {
    Four part[kParts];

    /// As `kParts` quads of memory.
    HEDDLE_BOTH static Quad quad(const Quad& q, int number) {
        const int begin = q.begin * kParts - 4 * number, end = q.end * kParts - 4 * number;
        return {q.first * kParts + std::int64_t{4} * number, begin > 0 ? begin : 0, end < 4 ? end : 4};
    }
    template <class T>
    HEDDLE_BOTH static QuadOfParts read(const void* from, const Quad& q) {
        Together<T> all[kParts];
        HEDDLE_UNROLL
        for (int n = 0; n < kParts; ++n) all[n] = fetch<T>(from, quad(q, n));
        QuadOfParts x;
        HEDDLE_UNROLL
        for (int i = 0; i < 4 * kParts; ++i) x.part[i % kParts].v[i / kParts] = toFloat(all[i / 4].v[i % 4]);
        return x;
    }
    template <class T>
    HEDDLE_BOTH void write(void* to, const Quad& q) const {
        HEDDLE_UNROLL
        for (int n = 0; n < kParts; ++n) {
            Four x;
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) x.v[j] = part[(4 * n + j) % kParts].v[(4 * n + j) / kParts];
            store<T>(to, quad(q, n), x);
        }
    }
};

/// On which sides of its query a key is.
struct SidesOfRow {
    std::int64_t lastLeft, firstRight;  ///< keys

    HEDDLE_BOTH SidesOfRow(const SplitWeightsArguments& a, std::int64_t row)
        : lastLeft(row % a.shape.queries + a.lastLeft), firstRight(row % a.shape.queries + a.firstRight) {}
    HEDDLE_BOTH bool isLeft(std::int64_t key) const { return key <= lastLeft; }
    HEDDLE_BOTH bool isRight(std::int64_t key) const { return key >= firstRight; }
};

/// A row stays in registers: quadsOf(keys) is at most kQuads · the team's lanes.
template <class T, int kQuads, int kParts>
struct SplitWeightsPass {
    SplitWeightsArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const Span span{row * a.shape.keys, a.shape.keys};
        const HiddenInRow hidden(a.hidden, a.shape, row);
        const SidesOfRow sides(a, row);
        Four z[kQuads];
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            z[k] = load<T>(a.raw, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                float& score = z[k].v[j];
                if (!q.holds(j))
                    score = kLowest;
                else
                    score = hidden(q.first + j - span.begin) ? a.hiddenScore : score * a.scale;
            }
        });
        softmaxOfRow<kQuads>(span, team, z);
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            QuadOfParts<kParts> made{};
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                const std::int64_t key = q.first + j - span.begin;
                const float weight = z[k].v[j];
                HEDDLE_UNROLL
                for (int part = 0; part < kParts; ++part)
                    if ((part == a.left && sides.isLeft(key)) || (part == a.right && sides.isRight(key)))
                        made.part[part].v[j] = weight;
            }
            made.template write<T>(a.sides, q);
        });
    }
};

template <class T, int kQuads, int kParts>
struct SplitWeightsBackwardPass {
    SplitWeightsBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t row, Team& team) const {
        const SplitWeightsArguments& in = a.forward;
        const Span span{row * in.shape.keys, in.shape.keys};
        const HiddenInRow hidden(in.hidden, in.shape, row);
        const SidesOfRow sides(in, row);
        Four w[kQuads] = {}, dw[kQuads] = {};
        float product = 0;
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            const auto weights = QuadOfParts<kParts>::template read<T>(in.sides, q),
                       gradients = QuadOfParts<kParts>::template read<T>(a.dsides, q);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) {
                const std::int64_t key = q.first + j - span.begin;
                HEDDLE_UNROLL
                for (int part = 0; part < kParts; ++part) {
                    if (!(part == in.left && sides.isLeft(key)) && !(part == in.right && sides.isRight(key))) continue;
                    w[k].v[j] = weights.part[part].v[j];  // the same on both sides
                    dw[k].v[j] += gradients.part[part].v[j];
                }
                product += w[k].v[j] * dw[k].v[j];
            }
        });
        product = team.sum(product);
        forOwnQuads<kQuads>(span, team, [&](int k, const Quad& q) {
            Four dz;
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j)
                dz.v[j] =
                    q.holds(j) && !hidden(q.first + j - span.begin) ? w[k].v[j] * (dw[k].v[j] - product) * in.scale : 0.0F;
            store<T>(a.draw, q, dz);
        });
    }
};

}  // namespace heddle::cuda
