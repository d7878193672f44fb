// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/column_painter.h"

#include "ui/plot/column_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace heddle::ui {
namespace {

using Pixels [[gnu::vector_size(16)]] = std::uint32_t;

float leastOf(Lanes lanes) {
    const Lanes halves = least(lanes, __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1));
    return std::min(halves[0], halves[1]);
}

Pixels load(const QRgb* from) {
    Pixels pixels;
    std::memcpy(&pixels, from, sizeof pixels);
    return pixels;
}
void store(Pixels pixels, QRgb* to) { std::memcpy(to, &pixels, sizeof pixels); }

void transpose(std::array<Pixels, kLanes>& block) {
    const auto [a, b, c, d] = block;
    const Pixels lowAb = __builtin_shufflevector(a, b, 0, 4, 1, 5), highAb = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Pixels lowCd = __builtin_shufflevector(c, d, 0, 4, 1, 5), highCd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    block = {__builtin_shufflevector(lowAb, lowCd, 0, 1, 4, 5), __builtin_shufflevector(lowAb, lowCd, 2, 3, 6, 7),
             __builtin_shufflevector(highAb, highCd, 0, 1, 4, 5), __builtin_shufflevector(highAb, highCd, 2, 3, 6, 7)};
}

/// The function for this processor.
auto rowPainter() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return paintEightRows;
#endif
    return paintFourRows;
}

int roundedUp(int count) { return (count + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce; }

}  // namespace

void paintFourRows(QRgb* pixels, const ColumnCover& cover, QRgb color) { paintRows<kLanes>(pixels, cover, color); }

ColumnPainter::ColumnPainter(int columns, int rows)
    : rows_(rows), stride_(roundedUp(rows) + kRowsAtOnce), pixels_(std::size_t(columns) * std::size_t(stride_)) {}

void ColumnPainter::paint(int column, const float* tops, const float* negatedBottoms, QRgb color) {
    static const auto paintRowsHere = rowPainter();
    const Lanes top = greatest(loadLanes(tops), lanesOf(0)), bottom = least(-loadLanes(negatedBottoms), lanesOf(float(rows_)));
    const auto isFull = bottom > top;
    const float first = leastOf(isFull ? top : lanesOf(float(rows_))), last = -leastOf(isFull ? -bottom : lanesOf(0));
    if (last <= first) return;
    ColumnCover cover;
    storeLanes(isFull ? top : lanesOf(0), cover.tops);
    storeLanes(isFull ? bottom : lanesOf(0), cover.bottoms);
    cover.begin = int(first) / kRowsAtOnce * kRowsAtOnce;
    cover.end = int(std::ceil(last));
    cover.fullFrom = -leastOf(isFull ? -top : lanesOf(0));
    cover.fullTo = leastOf(isFull ? bottom : lanesOf(0));
    paintRowsHere(pixels_.data() + std::ptrdiff_t(column) * stride_ + cover.begin, cover, color);
}

void ColumnPainter::copyTo(QRgb* pixels, int columns, std::ptrdiff_t apart) const {
    std::array<Pixels, kLanes> block;
    for (int y = 0; y < rows_; y += kLanes)
        for (int x = 0; x < columns; x += kLanes) {
            for (int i = 0; i < kLanes; ++i) block[std::size_t(i)] = load(pixels_.data() + std::ptrdiff_t(x + i) * stride_ + y);
            transpose(block);
            QRgb* row = pixels + y * apart + x;
            for (int i = 0; i < std::min(kLanes, rows_ - y); ++i, row += apart) {
                if (columns - x >= kLanes)
                    store(block[std::size_t(i)], row);
                else
                    std::memcpy(row, &block[std::size_t(i)], std::size_t(columns - x) * sizeof(QRgb));
            }
        }
}

}  // namespace heddle::ui
