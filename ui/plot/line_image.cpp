// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/line_image.h"

#include "ui/threads/parallel.h"

#include <QtMath>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace heddle::ui {
namespace {

constexpr int kNone = std::numeric_limits<int>::max() / 4;
constexpr double kFar = 1e6;  // device pixels: nothing is painted there

/// Pixel columns that are painted together: their rows are a cache line each.
constexpr int kStrip = 16;

/// x · a / 255, rounded, of the four bytes of a pixel.
QRgb scaled(QRgb x, uint a) {
    uint low = (x & 0xff00ff) * a, high = ((x >> 8) & 0xff00ff) * a;
    low = ((low + ((low >> 8) & 0xff00ff) + 0x800080) >> 8) & 0xff00ff;
    high = (high + ((high >> 8) & 0xff00ff) + 0x800080) & 0xff00ff00;
    return low | high;
}

/// Puts the premultiplied `color` with a coverage of 0 to 255 over a pixel.
void paintOver(QRgb& pixel, QRgb color, uint coverage) {
    const QRgb source = coverage == 255 ? color : scaled(color, coverage);
    const uint alpha = qAlpha(source);
    pixel = alpha == 255 ? source : source + scaled(pixel, 255 - alpha);
}

}  // namespace

LineImage::LineImage(const QRectF& area, double ratio)
    : area_(area),
      ratio_(ratio),
      columns_(std::max(0, int(std::ceil(area.width() * ratio)))),
      rows_(std::max(0, int(std::ceil(area.height() * ratio)))) {}

/// In sections from the left edge of the area.
double LineImage::sectionOf(double x) const { return (x - area_.left()) * ratio_ * kSamples; }
/// In device pixels from its top.
double LineImage::rowOf(double y) const { return std::clamp((y - area_.top()) * ratio_, -kFar, kFar); }

LineImage::Extents::Extents(int count) : tops(std::size_t(count), kNone), bottoms(std::size_t(count), -kNone) {}

LineImage::Extents LineImage::sectionsOf(const Shape& shape) const {
    if (shape.line.size() < 2) return ofSpans(shape.spans);
    Extents sections = widened(extents(shape.line), shape.stroke.width * ratio_ / 2);
    if (!shape.stroke.dash.isEmpty()) cutDashes(shape.line, shape.stroke.dash, sections);
    return sections;
}

/// The lowest and highest y of the line in every half of a section.
LineImage::Halves LineImage::extents(const QPolygonF& line) const {
    const int count = columns_ * kSamples;
    Halves halves{Extents(count), Extents(count)};
    const auto add = [&](int i, double a, double b) {
        Extents& extents = i % 2 == 0 ? halves.left : halves.right;
        int &top = extents.tops[std::size_t(i / 2)], &bottom = extents.bottoms[std::size_t(i / 2)];
        top = std::min(top, int(kUnit * std::min(a, b)));
        bottom = std::max(bottom, int(kUnit * std::max(a, b)));
    };
    for (qsizetype v = 0; v + 1 < line.size(); ++v) {
        const double x0 = 2 * sectionOf(line[v].x()), x1 = 2 * sectionOf(line[v + 1].x());
        const double y0 = rowOf(line[v].y()), y1 = rowOf(line[v + 1].y());
        const int first = int(std::clamp(std::floor(x0), 0.0, 2.0 * count)),
                  end = int(std::clamp(std::floor(x1) + 1, 0.0, 2.0 * count));
        const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
        for (int i = first; i < end; ++i) {
            const double from = std::max(x0, double(i)), to = std::min(x1, double(i + 1));
            add(i, x1 > x0 ? y0 + slope * (from - x0) : y0, x1 > x0 ? y0 + slope * (to - x0) : y1);
        }
    }
    return halves;
}

/// Moves a disc along the line: what a section is covered by is what its middle is. Of each half section beside it counts the
/// height that the disc has there.
LineImage::Extents LineImage::widened(const Halves& halves, double radius) const {
    const int count = columns_ * kSamples, reach = std::max(1, int(std::lround(2 * radius * kSamples)));
    Extents wide(count);
    for (int away = 0; away < reach; ++away) {
        const double beside = (away + 0.5) / (2 * kSamples);
        const int height = int(std::lround(kUnit * std::sqrt(std::max(0.0, radius * radius - beside * beside))));
        const int shift = (away + 1) / 2;
        const auto add = [&](const Extents& from, int j) {
            const int begin = std::max(0, -j), end = std::min(count, count - j);
            const int *tops = from.tops.data() + j, *bottoms = from.bottoms.data() + j;
            for (int i = begin; i < end; ++i) {
                wide.tops[std::size_t(i)] = std::min(wide.tops[std::size_t(i)], tops[i] - height);
                wide.bottoms[std::size_t(i)] = std::max(wide.bottoms[std::size_t(i)], bottoms[i] + height);
            }
        };
        add(away % 2 == 0 ? halves.left : halves.right, -shift);
        add(away % 2 == 0 ? halves.right : halves.left, shift);
    }
    return wide;
}

/// Empties the sections in whose middle the pen is up.
void LineImage::cutDashes(const QPolygonF& line, const QVector<qreal>& dash, Extents& sections) const {
    const double period = std::accumulate(dash.begin(), dash.end(), 0.0);
    if (period <= 0) return;
    double length = 0, next = dash.first();  // of the way to the vertex, and to where the pen goes up or down
    qsizetype piece = 0;
    for (qsizetype v = 0; v + 1 < line.size(); ++v) {
        const double x0 = sectionOf(line[v].x()), x1 = sectionOf(line[v + 1].x());
        const double own = QLineF(line[v], line[v + 1]).length(), slope = x1 > x0 ? own / (x1 - x0) : 0;
        // A section belongs to the segment that its middle is in; one that is steeper than a period shows no gap.
        const int first = std::max(0, int(std::ceil(x0 - 0.5)));
        const int end = std::min(int(sections.tops.size()), int(std::ceil(x1 - 0.5)));
        for (int i = first; i < end && slope <= period; ++i) {
            for (; length + slope * (i + 0.5 - x0) >= next; next += dash[piece]) piece = (piece + 1) % dash.size();
            if (piece % 2 == 1) sections.tops[std::size_t(i)] = kNone, sections.bottoms[std::size_t(i)] = -kNone;
        }
        length += own;
    }
}

LineImage::Extents LineImage::ofSpans(const std::vector<Span>& spans) const {
    Extents sections(columns_ * kSamples);
    for (std::size_t i = 0; i < std::min(spans.size(), std::size_t(columns_)); ++i) {
        if (spans[i].empty()) continue;
        const int top = int(std::lround(rowOf(spans[i].top)));
        const int bottom = std::max(top + 1, int(std::lround(rowOf(spans[i].bottom))));
        std::fill_n(sections.tops.begin() + std::ptrdiff_t(i * kSamples), kSamples, kUnit * top);
        std::fill_n(sections.bottoms.begin() + std::ptrdiff_t(i * kSamples), kSamples, kUnit * bottom);
    }
    return sections;
}

/// Covers the rows of a pixel column: `tops` and `bottoms` of its sections, 0 to 255 a row from the returned first one on.
int LineImage::coverColumn(const int* tops, const int* bottoms, std::vector<int>& coverage) const {
    static_assert(kSamples * kUnit == 256);
    const int low = rows_ * kUnit;
    std::array<int, kSamples> a{}, b{};
    int top = low, bottom = 0;
    for (int k = 0; k < kSamples; ++k) {
        a[k] = std::max(0, tops[k]);
        b[k] = std::min(low, bottoms[k]);
        if (b[k] <= a[k]) continue;
        top = std::min(top, a[k]);
        bottom = std::max(bottom, b[k]);
    }
    coverage.clear();
    if (bottom <= top) return 0;
    const int first = top / kUnit;
    coverage.assign(std::size_t((bottom - 1) / kUnit - first + 1), 0);
    for (int k = 0; k < kSamples; ++k) {
        if (b[k] <= a[k]) continue;
        const int from = a[k] / kUnit - first, to = (b[k] - 1) / kUnit - first;
        coverage[std::size_t(from)] -= a[k] % kUnit;
        for (int y = from; y < to; ++y) coverage[std::size_t(y)] += kUnit;
        coverage[std::size_t(to)] += b[k] - (first + to) * kUnit;
    }
    return first;
}

/// kStrip columns from `left` on, of all lines in their order, into an image whose rows are so many pixels apart.
void LineImage::paintStrip(const std::vector<Extents>& lines, int left, QRgb* pixels, std::ptrdiff_t apart) const {
    const int width = std::min(kStrip, columns_ - left);
    std::vector<QRgb> strip(std::size_t(rows_) * kStrip);
    std::vector<int> coverage;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QRgb color = qPremultiply(shapes_[i].stroke.color.rgba());
        for (int x = 0; x < width; ++x) {
            const std::size_t at = std::size_t(left + x) * kSamples;
            const int first = coverColumn(lines[i].tops.data() + at, lines[i].bottoms.data() + at, coverage);
            QRgb* pixel = strip.data() + std::ptrdiff_t(first) * kStrip + x;
            for (const int covered : coverage) {
                paintOver(*pixel, color, uint(std::min(255, covered)));
                pixel += kStrip;
            }
        }
    }
    for (int y = 0; y < rows_; ++y) std::copy_n(strip.data() + std::ptrdiff_t(y) * kStrip, width, pixels + y * apart + left);
}

QImage LineImage::picture() const {
    QImage picture(std::max(1, columns_), std::max(1, rows_), QImage::Format_ARGB32_Premultiplied);
    picture.fill(0);
    picture.setDevicePixelRatio(ratio_);
    std::vector<Extents> lines(shapes_.size(), Extents(0));
    inParallel(int(lines.size()), [&](int i) { lines[std::size_t(i)] = sectionsOf(shapes_[std::size_t(i)]); });
    auto* const pixels = reinterpret_cast<QRgb*>(picture.bits());
    const std::ptrdiff_t apart = picture.bytesPerLine() / std::ptrdiff_t(sizeof(QRgb));
    inParallel((columns_ + kStrip - 1) / kStrip, [&](int i) { paintStrip(lines, i * kStrip, pixels, apart); });
    return picture;
}

}  // namespace heddle::ui
