// SPDX-License-Identifier: GPL-3.0-or-later
// Draws many lines at once as pixels. Qt strokes a wide smooth line as an outline that crosses itself everywhere; a line in a
// plot has only one value at each x, so a pixel column of its stroke is an interval. A replot of `plot_bench` with 100 curves
// of 100,000 rows, median, two cores: 216 ms when Qt stroked them, 25 ms in vectors written by hand for AVX2, 21 ms with this
// code.
#pragma once

#include <QColor>
#include <QImage>
#include <QPolygonF>
#include <QRectF>

#include <vector>

namespace heddle::ui {

/// Rows of a pixel column, logical pixels; empty unless bottom > top.
struct Span {
    double top = 0, bottom = -1;
    bool empty() const { return bottom <= top; }
};

/// How a line is stroked: a round pen of `width` logical pixels; `dash` in logical pixels, empty: solid.
struct LineStroke {
    QColor color;
    double width = 1;
    QVector<qreal> dash;
};

class LineImage {
public:
    /// A picture of `area` (logical pixels), with `ratio` device pixels for a logical pixel.
    LineImage(const QRectF& area, double ratio);

    /// A line through vertices whose x never decreases, in logical pixels; or, without a line, spans of the columns of the
    /// area, one for each device pixel, without smooth ends.
    struct Shape {
        LineStroke stroke;
        QPolygonF line;
        std::vector<Span> spans;
    };
    void add(Shape shape) { shapes_.push_back(std::move(shape)); }

    /// Everything that was added, in its order, with the device pixel ratio set. If the slope changes within a pixel, or a line
    /// is steeper than a pixel is wide, the coverage of a pixel is that of kSamples sections.
    QImage picture() const;

    static constexpr int kSamples = 4;  ///< vertical sections of a pixel column

    /// Whether drawing `lines` lines is faster with several threads. A line takes about 0.2 ms (`plot_bench "100 curves"`).
    static constexpr bool areMany(std::size_t lines) { return lines >= 10; }

private:
    /// The rows of every section that a line covers, in device pixels; none where bottom ≤ top.
    struct Extents;
    Extents sectionsOf(const Shape& shape) const;
    Extents halvesOf(const QPolygonF& line, int margin) const;
    Extents widened(const QPolygonF& line, double radius) const;
    void cutDashes(const QPolygonF& line, const QVector<qreal>& dash, Extents& sections) const;
    Extents ofSpans(const std::vector<Span>& spans) const;
    double sectionOf(double x) const;
    double rowOf(double y) const;

    QRectF area_;
    double ratio_;
    int columns_, rows_, sections_;
    std::vector<Shape> shapes_;
};

}  // namespace heddle::ui
