// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/line_image.h"

#include "ui/threads/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::ui {
namespace {

constexpr float kNone = 1e9F;
constexpr double kFar = 1e6;  // device pixels, far outside every picture
/// Pixel columns that are painted together: a row of them is one cache line.
constexpr int kStrip = 16;

int floorOf(double x) { return int(std::floor(std::clamp(x, -1e9, 1e9))); }
int ceilingOf(double x) { return -floorOf(-x); }

/// Every byte times share / 255, rounded.
QRgb scaled(QRgb color, std::uint32_t share) {
    constexpr std::uint32_t kOdd = 0x00ff00ff, kHalf = 0x00800080;
    const auto times = [share](std::uint32_t bytes) {
        const std::uint32_t product = bytes * share + kHalf;
        return (product + (product >> 8 & kOdd)) >> 8 & kOdd;
    };
    return times(color & kOdd) | times(color >> 8 & kOdd) << 8;
}

/// Blends the premultiplied `color` over the rows of a column; the coverage of a pixel is the mean of its sections.
void paintColumn(QRgb* column, int rows, const float* tops, const float* bottoms, QRgb color) {
    constexpr int kSamples = LineImage::kSamples;
    constexpr float kHalf = 0.5F;
    float first = float(rows), last = 0, fullFrom = 0, fullTo = float(rows);
    for (int s = 0; s < kSamples; ++s) {
        fullFrom = std::max(fullFrom, tops[s]);
        fullTo = std::min(fullTo, bottoms[s]);
        if (bottoms[s] <= tops[s]) continue;
        first = std::min(first, std::max(tops[s], 0.0F));
        last = std::max(last, std::min(bottoms[s], float(rows)));
    }
    const auto edges = [&](int y, int end) {
        for (; y < end; ++y) {
            float covered = 0;
            for (int s = 0; s < kSamples; ++s)
                covered += std::max(0.0F, std::min(bottoms[s], float(y + 1)) - std::max(tops[s], float(y)));
            const QRgb ink = scaled(color, std::uint32_t(covered * (255.0F / kSamples) + kHalf));
            column[y] = ink + scaled(column[y], 255 - std::uint32_t(qAlpha(ink)));
        }
    };
    const int begin = int(first), end = int(std::ceil(last));
    if (fullTo < fullFrom + 1) return edges(begin, end);
    const int whole = int(std::ceil(fullFrom)), rest = int(fullTo);
    edges(begin, whole);
    const std::uint32_t ground = 255 - std::uint32_t(qAlpha(color));
    for (int y = whole; y < rest; ++y) column[y] = color + scaled(column[y], ground);
    edges(std::max(whole, rest), end);
}

}  // namespace

struct LineImage::Extents {
    explicit Extents(int count) : tops(std::size_t(count), kNone), bottoms(std::size_t(count), -kNone) {}
    void add(int at, float from, float to) {
        tops[std::size_t(at)] = std::min(tops[std::size_t(at)], std::min(from, to));
        bottoms[std::size_t(at)] = std::max(bottoms[std::size_t(at)], std::max(from, to));
    }
    std::vector<float> tops, bottoms;
};

LineImage::LineImage(const QRectF& area, double ratio)
    : area_(area),
      ratio_(ratio),
      columns_(std::max(0, int(std::ceil(area.width() * ratio)))),
      rows_(std::max(0, int(std::ceil(area.height() * ratio)))),
      sections_(columns_ * kSamples) {}

/// In sections from the left edge of the area.
double LineImage::sectionOf(double x) const { return (x - area_.left()) * ratio_ * kSamples; }
/// In device pixels from its top.
double LineImage::rowOf(double y) const { return std::clamp((y - area_.top()) * ratio_, -kFar, kFar); }

LineImage::Extents LineImage::sectionsOf(const Shape& shape) const {
    if (shape.line.size() < 2) return ofSpans(shape.spans);
    Extents sections = widened(shape.line, shape.stroke.width * ratio_ / 2);
    if (!shape.stroke.dash.isEmpty()) cutDashes(shape.line, shape.stroke.dash, sections);
    return sections;
}

/// The lowest and highest y of the line in every half of a section, and in `margin` halves beside the area.
LineImage::Extents LineImage::halvesOf(const QPolygonF& line, int margin) const {
    const int count = 2 * sections_ + 2 * margin;
    Extents halves(count);
    const auto placeOf = [&](const QPointF& vertex) { return 2 * sectionOf(vertex.x()) + margin; };
    double x0 = placeOf(line.first()), y0 = rowOf(line.first().y());
    for (const QPointF& vertex : line) {
        const double x1 = placeOf(vertex), y1 = rowOf(vertex.y()), slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
        const int first = std::max(0, floorOf(x0)), last = std::min(count - 1, floorOf(x1));
        float from = float(y0 + slope * (std::max(x0, double(first)) - x0));
        for (int i = first; i <= last; ++i) {
            const auto to = i < last || last < floorOf(x1) ? float(y0 + slope * (i + 1 - x0)) : float(y1);
            halves.add(i, from, to);
            from = to;
        }
        if (x0 == x1 && last == x1 && last > 0) halves.add(last - 1, float(y0), float(y1));  // upright, between two halves
        x0 = x1;
        y0 = y1;
    }
    return halves;
}

/// Moves a disc along the line. The coverage of a section is that of its middle; each half section to its sides counts with the
/// height of the disc there.
LineImage::Extents LineImage::widened(const QPolygonF& line, double radius) const {
    const int reach = std::max(1, int(std::lround(2 * radius * kSamples)));
    const Extents halves = halvesOf(line, reach);
    Extents wide(sections_);
    for (int away = 0; away < reach; ++away) {
        const double beside = (away + 0.5) / (2 * kSamples);
        const auto height = float(std::sqrt(std::max(0.0, radius * radius - beside * beside)));
        const auto middle = std::size_t(reach), aside = std::size_t(away);
        const std::size_t left = middle - aside, right = middle + 1 + aside;  // of section 0
        for (std::size_t i = 0; i < wide.tops.size(); ++i) {
            wide.tops[i] = std::min(wide.tops[i], std::min(halves.tops[2 * i + left], halves.tops[2 * i + right]) - height);
            wide.bottoms[i] =
                std::max(wide.bottoms[i], std::max(halves.bottoms[2 * i + left], halves.bottoms[2 * i + right]) + height);
        }
    }
    return wide;
}

/// Empties the sections in whose middle the dash pattern has a gap. `dash`: the lengths of line, gap, line …, an even count. A
/// segment so steep that a section contains a whole period shows no gap.
void LineImage::cutDashes(const QPolygonF& line, const QVector<qreal>& dash, Extents& sections) const {
    const double period = std::accumulate(dash.begin(), dash.end(), 0.0);
    if (period <= 0) return;
    const auto isUp = [&](double way) {
        double rest = std::fmod(way, period);
        qsizetype piece = 0;
        for (; piece + 1 < dash.size() && rest >= dash[piece]; ++piece) rest -= dash[piece];
        return piece % 2 == 1;
    };
    double length = 0, x0 = sectionOf(line.first().x());
    for (qsizetype v = 0; v + 1 < line.size(); ++v) {
        const QPointF way = line[v + 1] - line[v];
        const double own = std::sqrt(QPointF::dotProduct(way, way)), x1 = sectionOf(line[v + 1].x());
        const double slope = x1 > x0 ? own / (x1 - x0) : 0;
        const int first = std::max(0, ceilingOf(x0 - 0.5)), end = std::min(sections_, ceilingOf(x1 - 0.5));
        for (int i = first; i < end && slope <= period; ++i)
            if (isUp(length + slope * (i + 0.5 - x0))) sections.bottoms[std::size_t(i)] = -kNone;
        x0 = x1;
        length = std::fmod(length + own, period);
    }
}

LineImage::Extents LineImage::ofSpans(const std::vector<Span>& spans) const {
    Extents sections(sections_);
    for (std::size_t i = 0; i < std::min(spans.size(), std::size_t(columns_)); ++i) {
        if (spans[i].empty()) continue;
        const auto top = float(std::lround(rowOf(spans[i].top)));
        const auto bottom = std::max(top + 1, float(std::lround(rowOf(spans[i].bottom))));
        for (int s = 0; s < kSamples; ++s) sections.add(int(i) * kSamples + s, top, bottom);
    }
    return sections;
}

QImage LineImage::picture() const {
    QImage picture(std::max(1, columns_), std::max(1, rows_), QImage::Format_ARGB32_Premultiplied);
    picture.fill(0);
    picture.setDevicePixelRatio(ratio_);
    if (rows_ < 1) return picture;
    std::vector<Extents> lines(shapes_.size(), Extents(0));
    const bool areMany = LineImage::areMany(lines.size());
    inParallel(int(lines.size()), areMany, [&](int i) { lines[std::size_t(i)] = sectionsOf(shapes_[std::size_t(i)]); });
    auto* const pixels = reinterpret_cast<QRgb*>(picture.bits());
    const std::ptrdiff_t apart = picture.bytesPerLine() / std::ptrdiff_t(sizeof(QRgb));
    inParallel((columns_ + kStrip - 1) / kStrip, areMany, [&](int strip) {
        const int left = strip * kStrip, width = std::min(kStrip, columns_ - left);
        std::vector<QRgb> columns(std::size_t(width) * std::size_t(rows_));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const QRgb color = qPremultiply(shapes_[i].stroke.color.rgba());
            for (int x = 0; x < width; ++x) {
                const std::size_t at = std::size_t(left + x) * kSamples;
                paintColumn(&columns[std::size_t(x) * std::size_t(rows_)], rows_, &lines[i].tops[at], &lines[i].bottoms[at],
                            color);
            }
        }
        for (int y = 0; y < rows_; ++y)
            for (int x = 0; x < width; ++x)
                pixels[y * apart + left + x] = columns[std::size_t(x) * std::size_t(rows_) + std::size_t(y)];
    });
    return picture;
}

}  // namespace heddle::ui
