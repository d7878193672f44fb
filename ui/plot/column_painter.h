// SPDX-License-Identifier: GPL-3.0-or-later
// Pixel columns that lines cover. Four rows of a column are a vector of the processor, so that columns are kept apart from each
// other while they are painted.
#pragma once

#include <QRgb>

#include <cstddef>
#include <vector>

namespace heddle::ui {

/// Four single-precision numbers in a register.
using Lanes [[gnu::vector_size(16)]] = float;
constexpr int kLanes = 4;

inline Lanes lanesOf(float value) { return Lanes{value, value, value, value}; }
inline Lanes least(Lanes a, Lanes b) { return a < b ? a : b; }
inline Lanes greatest(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes loadLanes(const float* from) {
    Lanes lanes;
    __builtin_memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
inline void storeLanes(Lanes lanes, float* to) { __builtin_memcpy(to, &lanes, sizeof lanes); }

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

}  // namespace heddle::ui
