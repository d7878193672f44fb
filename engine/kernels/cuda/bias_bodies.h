// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elementwise backward passes that also add up their gradients over the rows, for the gradients of biases. An item is a block
// of columns in one part of the rows (quadOfItem).

#include "engine/kernels/cuda/rows.h"

namespace heddle::cuda {

/// dx = gradient(x, dy) for the elements of an item, with its sums.
template <class T, int kRowsAtOnce, class Arguments, class Team, class Gradient>
HEDDLE_BOTH void storeGradient(const Arguments& a, const void* x, std::int64_t item, Team& team, const Gradient& gradient) {
    struct Operands {
        Together<T> x, dy;
    };
    const QuadOfPart own = quadOfItem(a, item, team);
    Four sum{};
    forRowsInTurn<kRowsAtOnce>(
        own.rows, team,
        [&](const Quad& q) {
            return Operands{fetch<T>(x, q), fetch<T>(a.dy, q)};
        },
        [&](const Quad& q, const Operands& at) {
            const Four ofX = widened(at.x);
            Four dx = widened(at.dy);
            HEDDLE_UNROLL
            for (int j = 0; j < 4; ++j) dx.v[j] = gradient(ofX.v[j], dx.v[j]);
            sum = added(sum, dx);
            store<T>(a.dx, q, dx);
        });
    storeSum(a.sums, own, sum, team);
}

template <class T>
struct ReluDropoutBackwardPass {
    static constexpr int kThreadsAtOnce = 1024, kRowsAtOnce = 4;
    ReluDropoutBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        storeGradient<T, kRowsAtOnce>(a, a.y, item, team, [&](float y, float dy) { return y == 0 ? 0.0F : dy * a.scale; });
    }
};

HEDDLE_BOTH float geluSlope(float x) {
    constexpr float kRoot = 0.70710678F, kDensity = 0.39894228F;  // 1/√2; 1/√(2π)
    return 0.5F * (1 + std::erf(x * kRoot)) + x * kDensity * std::exp(-0.5F * x * x);
}
HEDDLE_BOTH float tanhGeluSlope(float x) {
    constexpr float kScale = 0.79788456F, kCubic = 0.044715F;  // √(2/π)
    const float t = std::tanh(kScale * (x + kCubic * x * x * x));
    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * kScale * (1 + 3 * kCubic * x * x);
}

template <class T>
struct GeluBackwardPass {
    static constexpr int kThreadsAtOnce = 1024, kRowsAtOnce = 2;
    GeluBackwardArguments a;

    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        storeGradient<T, kRowsAtOnce>(a, a.x, item, team, [&](float x, float dy) {
            return dy * (a.form == Gelu::Tanh ? tanhGeluSlope(x) : geluSlope(x));
        });
    }
};

template <class Stream, class T>
struct AdjustBackwardPass {
    static constexpr int kThreadsAtOnce = 1024, kRowsAtOnce = 2;
    AdjustBackwardArguments args;

    struct Operands {
        Together<Stream> dy;
        Together<T> a, e;
    };
    template <class Team>
    HEDDLE_BOTH void operator()(std::int64_t item, Team& team) const {
        const QuadOfPart own = quadOfItem(args, item, team);
        Four ofA{}, ofE{};
        forRowsInTurn<kRowsAtOnce>(
            own.rows, team,
            [&](const Quad& q) {
                return Operands{fetch<Stream>(args.dy, q), fetch<T>(args.a, q), fetch<T>(args.e, q)};
            },
            [&](const Quad& q, const Operands& at) {
                const Four dy = widened(at.dy);
                Four a = widened(at.a), e = widened(at.e);
                HEDDLE_UNROLL
                for (int j = 0; j < 4; ++j) {
                    const float correction = std::tanh(a.v[j]), weight = sigmoid(e.v[j]);
                    a.v[j] = dy.v[j] * weight * (1 - correction * correction);
                    e.v[j] = dy.v[j] * correction * weight * (1 - weight);
                    ofA.v[j] += a.v[j], ofE.v[j] += e.v[j];
                }
                store<T>(args.da, q, a);
                store<T>(args.de, q, e);
            });
        storeSum(args.daSums, own, ofA, team);
        storeSum(args.deSums, own, ofE, team);
    }
};

}  // namespace heddle::cuda
