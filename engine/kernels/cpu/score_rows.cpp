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
            loadSome(w + i, keys - i, kNothing, z);
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
            const Integers isNothing = z < -87.0F;  // hidden keys get weight exactly 0
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

HEDDLE_INLINE void scoreWeightsBackwardBody(const ScoreRows& in, const float* weights, float* gradients) {
    const std::int64_t keys = in.keys;
    for (std::int64_t row = 0; row < in.queries; ++row) {
        const bool* const hidden = hiddenOf(in, row);
        const float* const of = weights + row * keys;
        float* const to = gradients + row * keys;
        Floats w, above, products{};
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadSome(of + i, keys - i, 0, w), loadSome(to + i, keys - i, 0, above);
            products += w * above;
        }
        const float middle = total(products);
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            loadSome(of + i, keys - i, 0, w), loadSome(to + i, keys - i, 0, above);
            Floats dz = w * (above - middle);
            if (hidden != nullptr) {
                Integers isHidden;
                loadHidden(hidden + i, keys - i, isHidden);
                dz = isHidden != 0 ? Floats{} : dz;
            }
            storeSome(to + i, keys - i, dz);
        }
    }
}

HEDDLE_INLINE void openGate(cuda::GateActivation activation, Floats& x) {
    switch (activation) {
    case cuda::GateActivation::Tanh: hyperbolicTangent(x); return;
    case cuda::GateActivation::Sigmoid: sigmoid(x); return;
    case cuda::GateActivation::Relu: x = x <= 0.0F ? Floats{} : x; return;
    case cuda::GateActivation::Hardtanh: x = x < -1.0F ? Floats{} - 1.0F : x; x = x > 1.0F ? Floats{} + 1.0F : x;
    }
}

/// ψ′ from x and t = ψ(x); overwrites x.
HEDDLE_INLINE void slopeOfGate(cuda::GateActivation activation, const Floats& t, Floats& x) {
    switch (activation) {
    case cuda::GateActivation::Tanh: x = 1.0F - t * t; return;
    case cuda::GateActivation::Sigmoid: x = t * (1.0F - t); return;
    case cuda::GateActivation::Relu: x = x <= 0.0F ? Floats{} : Floats{} + 1.0F; return;
    case cuda::GateActivation::Hardtanh: {
        const Integers isFlat = (x <= -1.0F) | (x >= 1.0F);
        x = isFlat != 0 ? Floats{} : Floats{} + 1.0F;
    }
    }
}

/// The offset of a row in x, and its part of the bias.
struct GateRow {
    std::int64_t inX = 0;
    const float* bias = nullptr;
};

HEDDLE_INLINE GateRow gateRow(const cuda::ScoreGateArguments& in, std::int64_t row) {
    const std::int64_t query = row % in.shape.queries, head = row / in.shape.queries % in.shape.heads;
    const std::int64_t batch = row / in.shape.queries / in.shape.heads;
    GateRow at{batch * in.xStrides[0] + head * in.xStrides[1] + query * in.xStrides[2]};
    if (in.bias) at.bias = in.bias + head * in.biasStrides[0] + query * in.biasStrides[1];
    return at;
}

/// x + bias of the keys from `first` on.
HEDDLE_INLINE void loadMixed(const cuda::ScoreGateArguments& in, const GateRow& row, std::int64_t first, Floats& x) {
    const std::int64_t left = in.shape.keys - first;
    loadSome(static_cast<const float*>(in.x) + row.inX + first, left, 0, x);
    if (!row.bias) return;
    Floats bias = Floats{} + *row.bias;
    if (in.biasStrides[2] != 0) loadSome(row.bias + first, left, 0, bias);
    x += bias;
}

HEDDLE_INLINE void scoreGateBody(const cuda::ScoreGateArguments& in, std::int64_t first, std::int64_t end) {
    const std::int64_t keys = in.shape.keys;
    const float* const scores = static_cast<const float*>(in.p);
    float* const y = static_cast<float*>(in.y);
    for (std::int64_t row = first; row < end; ++row) {
        const GateRow at = gateRow(in, row);
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            Floats x, p;
            loadMixed(in, at, i, x), loadSome(scores + row * keys + i, keys - i, 0, p);
            openGate(in.activation, x);
            storeSome(y + row * keys + i, keys - i, p * x);
        }
    }
}

HEDDLE_INLINE void scoreGateBackwardBody(const cuda::ScoreGateBackwardArguments& in, std::int64_t first, std::int64_t end) {
    const cuda::ScoreGateArguments& of = in.forward;
    const std::int64_t keys = of.shape.keys;
    const float *const scores = static_cast<const float*>(of.p), *const above = static_cast<const float*>(in.dy);
    float *const dp = static_cast<float*>(in.dp), *const dx = static_cast<float*>(in.dx);
    for (std::int64_t row = first; row < end; ++row) {
        const GateRow at = gateRow(of, row);
        for (std::int64_t i = 0; i < keys; i += kLanes) {
            Floats x, p, dy;
            loadMixed(of, at, i, x), loadSome(scores + row * keys + i, keys - i, 0, p);
            loadSome(above + row * keys + i, keys - i, 0, dy);
            Floats t = x;
            openGate(of.activation, t);
            slopeOfGate(of.activation, t, x);
            storeSome(dp + row * keys + i, keys - i, dy * t);
            storeSome(dx + at.inX + i, keys - i, dy * p * x);
        }
    }
}

}  // namespace

HEDDLE_KERNEL(void, scoreWeights, (const ScoreRows& in, float* scores), (in, scores))
HEDDLE_KERNEL(void, scoreWeightsBackward, (const ScoreRows& in, const float* weights, float* gradients),
              (in, weights, gradients))
HEDDLE_KERNEL(void, scoreGate, (const cuda::ScoreGateArguments& in, std::int64_t first, std::int64_t end), (in, first, end))
HEDDLE_KERNEL(void, scoreGateBackward, (const cuda::ScoreGateBackwardArguments& in, std::int64_t first, std::int64_t end),
              (in, first, end))

}  // namespace heddle::rows
