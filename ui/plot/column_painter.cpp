// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/column_painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace heddle::ui {
namespace {

using Ints [[gnu::vector_size(16)]] = std::int32_t;
using Words [[gnu::vector_size(16)]] = std::uint16_t;
using Bytes [[gnu::vector_size(16)]] = std::uint8_t;
using Pixels [[gnu::vector_size(16)]] = std::uint32_t;

constexpr int kOpaque = 255;

/// A premultiplied colour, for two pixels.
struct Ink {
    explicit Ink(QRgb pixel) {
        for (int i = 0; i < 8; ++i)
            color[i] = std::uint16_t(pixel >> (8 * (i % 4)) & 0xff), alpha[i] = std::uint16_t(pixel >> 24);
    }
    Words color{}, alpha{};
};

float leastOf(Lanes lanes) {
    const Lanes halves = least(lanes, __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1));
    return std::min(halves[0], halves[1]);
}

/// x / 255, rounded, of up to 65,152.
Words dividedBy255(Words x) { return (x + (x >> 8) + 128) >> 8; }

/// The lower words of two pixels' numbers, each for the four bytes of its pixel.
template <int A, int B>
Words spread(Ints numbers) {
    const Ints twice = numbers | numbers << 16;
    return Words(__builtin_shufflevector(twice, twice, A, A, B, B));
}

/// Puts `ink` over four pixels that are covered by 0 to 255.
Pixels paintedOver(Pixels pixels, const Ink& ink, Ints coverage) {
    const auto ground = Bytes(pixels);
    const Bytes none{};
    const auto low = Words(__builtin_shufflevector(ground, none, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    const auto high =
        Words(__builtin_shufflevector(ground, none, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
    const Ints shine = kOpaque - Ints(dividedBy255(Words(coverage) * ink.alpha));
    const Words paintedLow = dividedBy255(ink.color * spread<0, 1>(coverage) + low * spread<0, 1>(shine));
    const Words paintedHigh = dividedBy255(ink.color * spread<2, 3>(coverage) + high * spread<2, 3>(shine));
    return Pixels(__builtin_shufflevector(Bytes(paintedLow), Bytes(paintedHigh), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                          26, 28, 30));
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

int roundedUp(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

}  // namespace

ColumnPainter::ColumnPainter(int columns, int rows)
    : rows_(rows), stride_(roundedUp(rows) + kLanes), pixels_(std::size_t(columns) * std::size_t(stride_)) {}

void ColumnPainter::paint(int column, const float* tops, const float* negatedBottoms, QRgb color) {
    Lanes top = greatest(loadLanes(tops), lanesOf(0)), bottom = least(-loadLanes(negatedBottoms), lanesOf(float(rows_)));
    const auto isFull = bottom > top;
    const float first = leastOf(isFull ? top : lanesOf(float(rows_))), last = -leastOf(isFull ? -bottom : lanesOf(0));
    top = isFull ? top : lanesOf(0);
    bottom = isFull ? bottom : lanesOf(0);
    std::array<Lanes, kSections> from, to;
    for (int s = 0; s < kSections; ++s) from[std::size_t(s)] = lanesOf(top[s]), to[std::size_t(s)] = lanesOf(bottom[s]);
    const float innerFirst = -leastOf(-top), innerLast = leastOf(bottom);  // all sections cover these rows
    const Ink ink(color);
    const int begin = int(first) / kLanes * kLanes;
    QRgb* pixels = pixels_.data() + std::ptrdiff_t(column) * stride_ + begin;
    Lanes above = float(begin) + Lanes{0, 1, 2, 3};
    for (float y = float(begin); y < last; y += kLanes, above += kLanes, pixels += kLanes) {
        Ints coverage{kOpaque, kOpaque, kOpaque, kOpaque};
        if (y < innerFirst || y + kLanes > innerLast) {
            Lanes covered = lanesOf(0);
            const Lanes below = above + 1;
            for (std::size_t s = 0; s < kSections; ++s)
                covered += least(greatest(to[s], above), below) - least(greatest(from[s], above), below);
            coverage = __builtin_convertvector(covered * (float(kOpaque) / kSections) + 0.5F, Ints);
        }
        store(paintedOver(load(pixels), ink, coverage), pixels);
    }
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
