// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the tiles of attention (attention_bodies.h) lie in the memory of a block. Host and device compute the same.

#include "engine/device/cuda_attention_arguments.h"

namespace heddle::cuda {

/// The size of a matrix that a warp multiplies at once. Tiles have multiples of it.
inline constexpr int kTileSide = 16;

constexpr int paddedToTiles(std::int64_t n) { return static_cast<int>((n + kTileSide - 1) / kTileSide) * kTileSide; }

/// Elements from one row of a tile to the next. The 16 bytes behind each row put the rows of a column in different banks.
constexpr int tileStride(int columns, int elementBytes) { return columns + 16 / elementBytes; }

/// Offsets in bytes, multiples of 32, as wmma asks. Tiles with one offset are never in use together.
struct AttentionLayout {
    static constexpr int kHalf = 2, kFloat = 4;  ///< bytes of an element

    int queries, keys, width;              ///< padded
    int q = 0, k = 0, v = 0, dout = 0;     ///< [Q,E], [K,E], [K,E], [Q,E]
    int carried = 0, gate = 0, mixed = 0;  ///< p [Q,K], W [K,K], p W [Q,K]; only with a gate
    int weights = 0, dropped = 0;          ///< [Q,K]
    int halves = 0;                        ///< where the tiles of bfloat16 end
    int sum = 0;                           ///< float32, the result of a product: [Q,K], [Q,E] or [K,E]
    int dgate = 0, dbias = 0;              ///< float32 [K,K], [K]
    int bytes = 0;

    constexpr AttentionLayout(const AttentionArguments& a, bool isBackward)
        : queries(paddedToTiles(a.shape.queries)), keys(paddedToTiles(a.shape.keys)), width(paddedToTiles(a.width)) {
        q = take(queries, width, kHalf);
        k = take(keys, width, kHalf);
        v = take(keys, width, kHalf);
        weights = take(queries, keys, kHalf);
        carried = mixed = dropped = weights;
        const bool hasGate = a.gate.weight != nullptr;
        if (hasGate) gate = take(keys, keys, kHalf);
        if (isBackward) {
            dout = take(queries, width, kHalf);
            if (a.drop.threshold > 0) dropped = take(queries, keys, kHalf);
            if (hasGate) carried = take(queries, keys, kHalf), mixed = take(queries, keys, kHalf);
        }
        halves = bytes;
        sum = take(isBackward && keys > queries ? keys : queries, keys > width ? keys : width, kFloat);
        if (isBackward && hasGate) dgate = take(keys, keys, kFloat), dbias = take(1, keys, kFloat);
    }

private:
    constexpr int take(int rows, int columns, int elementBytes) {
        const int from = bytes;
        bytes += rows * tileStride(columns, elementBytes) * elementBytes;
        return from;
    }
};

}  // namespace heddle::cuda
