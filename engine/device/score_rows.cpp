// SPDX-License-Identifier: Apache-2.0
#include "engine/device/score_rows.h"

#include "engine/device/row_vectors.h"

#include <cstring>
#include <limits>

namespace heddle::rows {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// The next at most 16 values of a row; `filler` where it has ended.
HEDDLE_INLINE void loadSome(const float* from, std::int64_t left, float filler, Floats& v) {
    if (left >= kLanes) {
        load(from, v);
        return;
    }
    v = Floats{} + filler;
    std::memcpy(&v, from, static_cast<std::size_t>(left) * sizeof(float));
}

HEDDLE_INLINE void storeSome(float* to, std::int64_t left, const Floats& v) {
    if (left >= kLanes)
        store(to, v);
    else
        std::memcpy(to, &v, static_cast<std::size_t>(left) * sizeof(float));
}

/// Not 0 where a key is hidden.
HEDDLE_INLINE void loadHidden(const bool* from, std::int64_t left, Integers& v) {
    using Bytes = unsigned char __attribute__((vector_size(16)));
    Bytes bytes{};
    std::memcpy(&bytes, from, static_cast<std::size_t>(left < kLanes ? left : kLanes));
    v = __builtin_convertvector(bytes, Integers);
}

HEDDLE_INLINE const bool* hiddenOf(const ScoreRows& in, std::int64_t row) {
    if (in.hidden == nullptr) return nullptr;
    return in.hidden + row / (in.heads * in.queries) * in.hiddenOfBatch + row % in.queries * in.hiddenOfQuery;
}

HEDDLE_INLINE float largest(const Floats& v) {
    float most = v[0];
    for (int i = 1; i < kLanes; ++i) most = v[i] > most ? v[i] : most;
    return most;
}

HEDDLE_INLINE void scoreWeightsBody(const ScoreRows& in, float* sum, float* weights, std::int64_t first, std::int64_t end) {
    const std::int64_t keys = in.keys;
    for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t begin = row * keys;
        const bool* const hidden = hiddenOf(in, row);
        float* const w = weights + begin;
        Floats most = Floats{} + kNothing, z, more;
        Integers isHidden;
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadSome(in.raw + begin + i, keys - i, kNothing, z);
            if (in.added) {
                loadSome(in.added + begin + i, keys - i, 0, more);
                z += more;
            }
            if (sum) storeSome(sum + begin + i, keys - i, z);
            if (in.divisor != 1) z /= in.divisor;
            if (hidden != nullptr) {
                loadHidden(hidden + i, keys - i, isHidden);
                z = isHidden != 0 ? Floats{} + kHiddenLogit : z;
            }
            most = z > most ? z : most;
            storeSome(w + i, keys - i, z);
        }
        const float maximum = largest(most);
        Floats sums{};
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadSome(w + i, keys - i, kNothing, z);
            z -= maximum;
            const Integers isNothing = z < -87.0F;  // a hidden key weighs 0, not nearly 0
            exponential(z);
            z = isNothing != 0 ? Floats{} : z;
            sums += z;
            storeSome(w + i, keys - i, z);
        }
        const float scale = 1.0F / total(sums);
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadSome(w + i, keys - i, 0, z);
            storeSome(w + i, keys - i, z * scale);
        }
    }
}

HEDDLE_INLINE void scoreWeightsBackwardBody(const ScoreRows& in, const ScoreGradients& g, std::int64_t first,
                                            std::int64_t end) {
    const std::int64_t keys = in.keys;
    const float share = 1.0F / in.divisor;
    for (std::int64_t row = first; row < end; ++row) {
        const std::int64_t begin = row * keys;
        const bool* const hidden = hiddenOf(in, row);
        Floats w, above, products{};
        if (g.ofWeights) {
            for (std::int64_t i = 0; i < keys; i += kLanes) {
                loadSome(g.weights + begin + i, keys - i, 0, w), loadSome(g.ofWeights + begin + i, keys - i, 0, above);
                products += w * above;
            }
        }
        const float middle = total(products);
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            Floats dz{};
            if (g.ofWeights) {
                loadSome(g.weights + begin + i, keys - i, 0, w), loadSome(g.ofWeights + begin + i, keys - i, 0, above);
                dz = w * (above - middle) * share;
            }
            if (hidden != nullptr) {
                Integers isHidden;
                loadHidden(hidden + i, keys - i, isHidden);
                dz = isHidden != 0 ? Floats{} : dz;
            }
            if (g.ofSum) {
                loadSome(g.ofSum + begin + i, keys - i, 0, above);
                dz += above;
            }
            storeSome(g.ofScores + begin + i, keys - i, dz);
        }
    }
}

}  // namespace

HEDDLE_KERNEL(void, scoreWeights, (const ScoreRows& in, float* sum, float* weights, std::int64_t first, std::int64_t end),
              (in, sum, weights, first, end))
HEDDLE_KERNEL(void, scoreWeightsBackward,
              (const ScoreRows& in, const ScoreGradients& gradients, std::int64_t first, std::int64_t end),
              (in, gradients, first, end))

}  // namespace heddle::rows
