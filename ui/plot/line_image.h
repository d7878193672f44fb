// SPDX-License-Identifier: GPL-3.0-or-later
// Many lines at once as pixels. Qt strokes a wide smooth line as an outline that crosses itself everywhere, for 2 ms a curve; a
// line over a plot has but one value at each x, so that a pixel column of its stroke is an interval.
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
    /// Of `area` (logical pixels), with `ratio` device pixels a logical one.
    LineImage(const QRectF& area, double ratio);

    /// A line through vertices whose x never falls, logical pixels; or, without a line, spans of the columns of the area, one a
    /// device pixel, without smooth ends.
    struct Shape {
        LineStroke stroke;
        QPolygonF line;
        std::vector<Span> spans;
    };
    void add(Shape shape) { shapes_.push_back(std::move(shape)); }

    /// All that was added, in its order, with the device pixel ratio set. Where the slope changes within a pixel, or a line is
    /// steeper than a pixel is wide, the coverage of a pixel is that of kSamples sections.
    QImage picture() const;

    static constexpr int kSamples = 4;  ///< vertical sections of a pixel column

    /// Whether it is worth waking other threads to draw so many lines. A line takes about 0.2 ms (`plot_bench "100 curves"`).
    static constexpr bool areMany(std::size_t lines) { return lines >= 10; }

private:
    /// The rows of every section in device pixels; empty where bottom ≤ top. Bottoms are kept with the
    /// other sign: what is done to the two is then the same.
    struct Extents {
        explicit Extents(int count);
        void addSegments(const float* edges, int begin, int end);
        std::vector<float> tops, negatedBottoms;
    };
    struct Halves {
        void add(int half, float y);
        Extents left, right;
    };
    Extents sectionsOf(const Shape& shape) const;
    Extents ofSpans(const std::vector<Span>& spans) const;
    Halves extents(const QPolygonF& line, int margin) const;
    Extents widened(const QPolygonF& line, double radius) const;
    std::vector<float> ways(const QPolygonF& line, double period) const;
    void cutDashes(const QPolygonF& line, const QVector<qreal>& dash, Extents& sections) const;
    void paintStrip(const std::vector<Extents>& lines, int left, QRgb* pixels, std::ptrdiff_t apart) const;
    double sectionOf(double x) const;
    double rowOf(double y) const;

    QRectF area_;
    double ratio_;
    int columns_, rows_, sections_;
    std::vector<Shape> shapes_;
};

}  // namespace heddle::ui
