// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cpu/small_products.h"

#include "engine/kernels/cpu/row_vectors.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace heddle::rows {
namespace {

constexpr std::int64_t kDepth = 512;  ///< rows of b per block: 128 KiB with 64 columns

/// Remaining rows and columns of the product, and the depth of the block.
struct Extent {
    std::int64_t rows, columns, depth;
};

template <int Distance>
constexpr int upper(int lane) {
    return (lane & Distance) != 0 ? 16 + lane - Distance : lane;
}
template <int Distance>
constexpr int lower(int lane) {
    return (lane & Distance) != 0 ? 16 + lane : lane + Distance;
}

/// Exchanges the lanes of a that have the bit `D` with those of b that do not.
template <int D>
HEDDLE_INLINE void exchange(Floats& a, Floats& b) {
    const Floats x = a, y = b;
    a = __builtin_shufflevector(x, y, upper<D>(0), upper<D>(1), upper<D>(2), upper<D>(3), upper<D>(4), upper<D>(5), upper<D>(6),
                                upper<D>(7), upper<D>(8), upper<D>(9), upper<D>(10), upper<D>(11), upper<D>(12), upper<D>(13),
                                upper<D>(14), upper<D>(15));
    b = __builtin_shufflevector(x, y, lower<D>(0), lower<D>(1), lower<D>(2), lower<D>(3), lower<D>(4), lower<D>(5), lower<D>(6),
                                lower<D>(7), lower<D>(8), lower<D>(9), lower<D>(10), lower<D>(11), lower<D>(12), lower<D>(13),
                                lower<D>(14), lower<D>(15));
}

template <int D>
HEDDLE_INLINE void exchangeRows(Floats (&rows)[kLanes]) {
    for (int i = 0; i < kLanes; ++i)
        if ((i & D) == 0) exchange<D>(rows[i], rows[i + D]);
}

/// Transposes 16 × 16 values: exchanges one bit of the row number with the same bit of the lane number, for each of the four
/// bits.
HEDDLE_INLINE void transpose(Floats (&rows)[kLanes]) {
    exchangeRows<1>(rows);
    exchangeRows<2>(rows);
    exchangeRows<4>(rows);
    exchangeRows<8>(rows);
}

/// Packs b from its first column on into `depth` dense rows of `width` columns, padded with zeros.
HEDDLE_INLINE void pack(const Matrix& b, const Extent& of, std::int64_t width, float* panel) {
    Floats v{};
    if (b.row != 1 || b.column == 1) {
        for (std::int64_t k = 0; k < of.depth; ++k)
            for (std::int64_t n = 0; n < width; n += kLanes) {
                if (b.column == 1) {
                    loadPartial(b.at + k * b.row + n, of.columns - n, 0, v);
                } else {
                    for (std::int64_t i = 0; i < kLanes; ++i)
                        v[i] = n + i < of.columns ? b.at[k * b.row + (n + i) * b.column] : 0;
                }
                store(panel + k * width + n, v);
            }
        return;
    }
    Floats rows[kLanes];
    for (std::int64_t n = 0; n < width; n += kLanes)
        for (std::int64_t k = 0; k < of.depth; k += kLanes) {
            for (std::int64_t i = 0; i < kLanes; ++i)
                loadPartial(b.at + (n + i) * b.column + k, n + i < of.columns ? of.depth - k : 0, 0, rows[i]);
            transpose(rows);
            for (std::int64_t i = 0; i < std::min<std::int64_t>(kLanes, of.depth - k); ++i)
                store(panel + (k + i) * width + n, rows[i]);
        }
}

/// `Rows` rows of c, 16 · `Vectors` columns: they stay in registers over the whole depth.
template <int Rows, int Vectors>
HEDDLE_INLINE void tile(const Matrix& a, const float* panel, const ProductTarget& c, const Extent& of) {
    Floats sums[Rows][Vectors], b[Vectors];
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) sums[r][v] = Floats{};
    for (std::int64_t k = 0; k < of.depth; ++k) {
        for (int v = 0; v < Vectors; ++v) load(panel + (k * Vectors + v) * kLanes, b[v]);
        for (int r = 0; r < Rows; ++r) {
            const float x = a.at[r * a.row + k * a.column];
            for (int v = 0; v < Vectors; ++v) sums[r][v] += x * b[v];
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) {
            float* const to = c.at + r * c.row + v * kLanes;
            const std::int64_t left = of.columns - v * kLanes;
            Floats sum = sums[r][v] * c.scale, old;
            if (c.adds) {
                loadPartial(to, left, 0, old);
                sum += old;
            }
            storePartial(to, left, sum);
        }
}

/// All rows of c, 16 · `Vectors` columns.
template <int Vectors>
HEDDLE_INLINE void column(Matrix a, const Matrix& b, ProductTarget c, const Extent& of, float* panel) {
    constexpr std::int64_t kRows = 4;
    pack(b, of, Vectors * kLanes, panel);
    std::int64_t left = of.rows;
    for (; left >= kRows; left -= kRows, a.at += kRows * a.row, c.at += kRows * c.row) tile<kRows, Vectors>(a, panel, c, of);
    for (; left > 0; --left, a.at += a.row, c.at += c.row) tile<1, Vectors>(a, panel, c, of);
}

HEDDLE_INLINE void blockProductBody(const Matrix& a, const Matrix& b, const ProductTarget& c, Extent of, float* panel) {
    const std::int64_t columns = of.columns;
    for (std::int64_t n = 0; n < columns;) {
        of.columns = columns - n;
        const Matrix right{b.at + n * b.column, b.row, b.column};
        const ProductTarget to{c.at + n, c.row, c.scale, c.adds};
        if (of.columns >= 4 * kLanes) {
            column<4>(a, right, to, of, panel);
            n += 4 * kLanes;
        } else if (of.columns > kLanes) {
            column<2>(a, right, to, of, panel);
            n += 2 * kLanes;
        } else {
            column<1>(a, right, to, of, panel);
            n += kLanes;
        }
    }
}

HEDDLE_KERNEL(void, blockProduct, (const Matrix& a, const Matrix& b, const ProductTarget& c, const Extent& of, float* panel),
              (a, b, c, of, panel))

}  // namespace

void product(const Matrix& a, const Matrix& b, const ProductTarget& c, std::int64_t m, std::int64_t n, std::int64_t k) {
    thread_local std::vector<float> room;
    const auto needed = static_cast<std::size_t>(std::min(k, kDepth) * 4 * kLanes + kLanes);
    if (room.size() < needed) room.resize(needed);
    void* panel = room.data();
    std::size_t bytes = room.size() * sizeof(float);
    std::align(sizeof(Floats), needed * sizeof(float) - sizeof(Floats), panel, bytes);  // aligned to a cache line
    for (std::int64_t done = 0; done < k; done += kDepth)
        blockProduct({a.at + done * a.column, a.row, a.column}, {b.at + done * b.row, b.row, b.column},
                     {c.at, c.row, c.scale, c.adds || done > 0}, {m, n, std::min(kDepth, k - done)},
                     static_cast<float*>(panel));
}

}  // namespace heddle::rows
