// SPDX-License-Identifier: GPL-3.0-or-later
// Pixel columns that lines cover. Some rows of a column are a vector of the processor, so that columns are kept apart from each
// other while they are painted.
#pragma once

#include <QRgb>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::ui {

/// Four single-precision numbers in a register.
using Lanes [[gnu::vector_size(16)]] = float;
constexpr int kLanes = 4;

inline Lanes lanesOf(float value) { return Lanes{value, value, value, value}; }
inline Lanes least(Lanes a, Lanes b) { return a < b ? a : b; }
inline Lanes greatest(Lanes a, Lanes b) { return a > b ? a : b; }
/// Rounds numbers below 2³¹ towards zero.
inline Lanes wholePart(Lanes lanes) {
    using Whole [[gnu::vector_size(16)]] = std::int32_t;
    return __builtin_convertvector(__builtin_convertvector(lanes, Whole), Lanes);
}
inline Lanes loadLanes(const float* from) {
    Lanes lanes;
    __builtin_memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
inline void storeLanes(Lanes lanes, float* to) { __builtin_memcpy(to, &lanes, sizeof lanes); }

struct ColumnCover;

class ColumnPainter {
public:
    static constexpr int kSections = kLanes;  ///< of a column, side by side

    /// Transparent columns, a multiple of kLanes.
    ColumnPainter(int columns, int rows);

    /// Puts the premultiplied `color` over a column. Its section s is covered from row tops[s] to row -negatedBottoms[s]; where
    /// that is not below, it is empty.
    void paint(int column, const float* tops, const float* negatedBottoms, QRgb color);
    /// The first `columns` columns as rows that are `apart` pixels from each other.
    void copyTo(QRgb* pixels, int columns, std::ptrdiff_t apart) const;

private:
    int rows_, stride_;
    std::vector<QRgb> pixels_;
};

/// The rows of a column that a line covers: in section s from tops[s] to bottoms[s], none where these are equal.
struct ColumnCover {
    float tops[ColumnPainter::kSections], bottoms[ColumnPainter::kSections];
    int begin, end;          ///< no section has rows outside of these; `begin` is a multiple of kRowsAtOnce
    float fullFrom, fullTo;  ///< all sections cover the rows between these
};

/// Rows are painted in pieces of so many at most.
constexpr int kRowsAtOnce = 8;

/// Blends the premultiplied `color` over the rows of a column; `pixels` is row `cover.begin`. Both functions give the same
/// pixels. The second exists on x86-64 alone and needs AVX2.
void paintFourRows(QRgb* pixels, const ColumnCover& cover, QRgb color);
void paintEightRows(QRgb* pixels, const ColumnCover& cover, QRgb color);

}  // namespace heddle::ui
