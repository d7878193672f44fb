// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cpu/score_rows.h"

#include "engine/kernels/cpu/row_vectors.h"

#include <cstring>
#include <limits>

namespace heddle::rows {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// Not 0 where a key is hidden.
HEDDLE_INLINE void loadHidden(const bool* from, std::int64_t left, Integers& v) {
    using Bytes = unsigned char __attribute__((vector_size(16)));
    Bytes bytes{};
    std::memcpy(&bytes, from, static_cast<std::size_t>(left < kLanes ? left : kLanes));
    v = __builtin_convertvector(bytes, Integers);
}

HEDDLE_INLINE const bool* hiddenOf(const ScoreRows& in, std::int64_t row) {
    return in.hidden == nullptr ? nullptr : in.hidden + row * in.hiddenOfQuery;
}

HEDDLE_INLINE float largest(const Floats& v) {
    float most = v[0];
    for (int i = 1; i < kLanes; ++i) most = v[i] > most ? v[i] : most;
    return most;
}

HEDDLE_INLINE void scoreWeightsBody(const ScoreRows& in, float* scores) {
    const std::int64_t keys = in.keys;
    for (std::int64_t row = 0; row < in.queries; ++row) {
        const bool* const hidden = hiddenOf(in, row);
        float* const w = scores + row * keys;
        Floats most = Floats{} + kNothing, z;
        Integers isHidden;
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadPartial(w + i, keys - i, kNothing, z);
            if (hidden != nullptr) {
                loadHidden(hidden + i, keys - i, isHidden);
                z = isHidden != 0 ? Floats{} + kHiddenLogit : z;
            }
            most = z > most ? z : most;
            storePartial(w + i, keys - i, z);
        }
        const float maximum = largest(most);
        Floats sums{};
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadPartial(w + i, keys - i, kNothing, z);
            z -= maximum;
            const Integers isNothing = z < -87.0F;  // hidden keys get weight exactly 0
            exponential(z);
            z = isNothing != 0 ? Floats{} : z;
            sums += z;
            storePartial(w + i, keys - i, z);
        }
        const float scale = 1.0F / total(sums);
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadPartial(w + i, keys - i, 0, z);
            storePartial(w + i, keys - i, z * scale);
        }
    }
}

HEDDLE_INLINE void scoreWeightsBackwardBody(const ScoreRows& in, const float* weights, float* gradients) {
    const std::int64_t keys = in.keys;
    for (std::int64_t row = 0; row < in.queries; ++row) {
        const bool* const hidden = hiddenOf(in, row);
        const float* const of = weights + row * keys;
        float* const to = gradients + row * keys;
        Floats w, above, products{};
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadPartial(of + i, keys - i, 0, w), loadPartial(to + i, keys - i, 0, above);
            products += w * above;
        }
        const float middle = total(products);
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadPartial(of + i, keys - i, 0, w), loadPartial(to + i, keys - i, 0, above);
            Floats dz = w * (above - middle);
            if (hidden != nullptr) {
                Integers isHidden;
                loadHidden(hidden + i, keys - i, isHidden);
                dz = isHidden != 0 ? Floats{} : dz;
            }
            storePartial(to + i, keys - i, dz);
        }
    }
}

}  // namespace

HEDDLE_KERNEL(void, scoreWeights, (const ScoreRows& in, float* scores), (in, scores))
HEDDLE_KERNEL(void, scoreWeightsBackward, (const ScoreRows& in, const float* weights, float* gradients),
              (in, weights, gradients))

}  // namespace heddle::rows
