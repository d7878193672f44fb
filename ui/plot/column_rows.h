// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the rows of a pixel column, a vector of rows at a time. Each file that includes this compiles its own copy for its
// kind of processor. Functions that other files share must not be called here: the linker keeps one copy of them, for any
// processor.
#pragma once

#include "ui/plot/column_painter.h"

namespace heddle::ui {
namespace {

template <class Number, int kBytes>
struct VectorOf {
    using Type [[gnu::vector_size(kBytes)]] = Number;
};

/// x / 255, rounded, of up to 65,152.
template <class Words>
inline Words dividedBy255(Words x) {
    return (x + (x >> 8) + 128) >> 8;
}

template <class Vector>
inline Vector loadVector(const void* from) {
    Vector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
}

/// Puts `color` over the rows of `pixels` from `cover.begin` on. A pixel's colours are taken two at a time: blue and red, green
/// and alpha, each in 16 bits.
template <int kRows>
inline void paintRows(QRgb* pixels, const ColumnCover& cover, QRgb color) {
    using Floats = typename VectorOf<float, 4 * kRows>::Type;
    using Ints = typename VectorOf<std::int32_t, 4 * kRows>::Type;
    using Pixels = typename VectorOf<std::uint32_t, 4 * kRows>::Type;
    using Words = typename VectorOf<std::uint16_t, 4 * kRows>::Type;
    constexpr int kOpaque = 255, kSections = ColumnPainter::kSections;
    constexpr std::uint32_t kOdd = 0x00ff00ff;
    const auto least = [](Floats a, Floats b) { return a < b ? a : b; };
    const auto greatest = [](Floats a, Floats b) { return a > b ? a : b; };

    const auto inkBr = Words(Pixels{} + (color & kOdd)), inkGa = Words(Pixels{} + (color >> 8 & kOdd));
    const auto alpha = Words(Pixels{} + (color >> 24));
    Floats from[kSections], to[kSections];
    for (int s = 0; s < kSections; ++s) from[s] = Floats{} + cover.tops[s], to[s] = Floats{} + cover.bottoms[s];
    Floats above = Floats{} + float(cover.begin);
    for (int i = 0; i < kRows; ++i) above[i] += float(i);
    for (int y = cover.begin; y < cover.end; y += kRows, above += float(kRows), pixels += kRows) {
        Ints coverage = Ints{} + kOpaque;
        if (y < cover.fullFrom || y + kRows > cover.fullTo) {
            Floats covered{};
            const Floats below = above + 1;
            for (int s = 0; s < kSections; ++s)
                covered += least(greatest(to[s], above), below) - least(greatest(from[s], above), below);
            coverage = __builtin_convertvector(covered * (float(kOpaque) / kSections) + 0.5F, Ints);
        }
        const auto ground = loadVector<Pixels>(pixels);
        const Ints shine = kOpaque - Ints(dividedBy255(Words(coverage) * alpha));
        const auto share = Words(coverage | coverage << 16), rest = Words(shine | shine << 16);
        const Words br = dividedBy255(inkBr * share + Words(ground & kOdd) * rest);
        const Words ga = dividedBy255(inkGa * share + Words(ground >> 8 & kOdd) * rest);
        const Pixels painted = Pixels(br) | Pixels(ga) << 8;
        __builtin_memcpy(pixels, &painted, sizeof painted);
    }
}

}  // namespace
}  // namespace heddle::ui
