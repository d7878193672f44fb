// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/line_image.h"

#include "ui/plot/column_painter.h"
#include "ui/threads/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

namespace heddle::ui {
namespace {

constexpr float kNone = 1e9F;  // as a top and as a negated bottom: an empty section
constexpr double kFar = 1e6;   // device pixels: nothing is painted there

/// Pixel columns that are painted together: their rows are a cache line each.
constexpr int kStrip = 16;
constexpr int kCacheLine = 16;  // single-precision numbers

int floorOf(double x) {
    const int whole = int(std::clamp(x, -1e9, 1e9));
    return whole - (double(whole) > x);
}
int ceilingOf(double x) { return -floorOf(-x); }

/// out[i] becomes the least of out[i] and what the pairs of places that are `heights.size()` halves of a section away have,
/// less the height there.
void lowerTo(float* out, const float* left, const float* right, const std::vector<float>& heights, int count) {
    constexpr int kBlock = 4;
    for (int i = 0; i < count; i += kBlock * kLanes) {
        std::array<Lanes, kBlock> lowest;
        lowest.fill(lanesOf(kNone));
        for (int away = 0; away < int(heights.size()); ++away) {
            const int shift = (away + 1) / 2;
            const float* const before = (away % 2 == 0 ? left : right) + i - shift;
            const float* const behind = (away % 2 == 0 ? right : left) + i + shift;
            const Lanes height = lanesOf(heights[std::size_t(away)]);
            std::ptrdiff_t at = 0;
            for (Lanes& low : lowest) {
                low = least(low, least(loadLanes(before + at), loadLanes(behind + at)) - height);
                at += kLanes;
            }
        }
        std::memcpy(out + i, lowest.data(), sizeof lowest);
    }
}

}  // namespace

LineImage::LineImage(const QRectF& area, double ratio)
    : area_(area),
      ratio_(ratio),
      columns_(std::max(0, int(std::ceil(area.width() * ratio)))),
      rows_(std::max(0, int(std::ceil(area.height() * ratio)))),
      sections_((columns_ + kStrip - 1) / kStrip * kStrip * kSamples) {}

/// In sections from the left edge of the area.
double LineImage::sectionOf(double x) const { return (x - area_.left()) * ratio_ * kSamples; }
/// In device pixels from its top.
double LineImage::rowOf(double y) const { return std::clamp((y - area_.top()) * ratio_, -kFar, kFar); }

LineImage::Extents::Extents(int count) : tops(std::size_t(count), kNone), negatedBottoms(std::size_t(count), kNone) {}

/// Section i from edges[2 · i] to the next edge, where 2 · i is from `begin` to `end` - 1.
void LineImage::Extents::addSegments(const float* edges, int begin, int end) {
    float *const top = tops.data(), *const bottom = negatedBottoms.data();
    for (std::ptrdiff_t i = (begin + 1) / 2; 2 * i < end; ++i) {
        const float from = edges[2 * i], to = edges[2 * i + 1];
        top[i] = std::min(top[i], std::min(from, to));
        bottom[i] = std::min(bottom[i], -std::max(from, to));
    }
}

void LineImage::Halves::add(int half, float y) {
    Extents& extents = half % 2 == 0 ? left : right;
    if (half < 0 || half / 2 >= int(extents.tops.size())) return;
    const auto section = std::size_t(half / 2);
    extents.tops[section] = std::min(extents.tops[section], y);
    extents.negatedBottoms[section] = std::min(extents.negatedBottoms[section], -y);
}

LineImage::Extents LineImage::sectionsOf(const Shape& shape) const {
    if (shape.line.size() < 2) return ofSpans(shape.spans);
    Extents sections = widened(shape.line, shape.stroke.width * ratio_ / 2);
    if (!shape.stroke.dash.isEmpty()) cutDashes(shape.line, shape.stroke.dash, sections);
    return sections;
}

/// The lowest and highest y of the line in every half of a section.
LineImage::Halves LineImage::extents(const QPolygonF& line, int margin) const {
    const int count = sections_ + 2 * margin;
    Halves halves{Extents(count), Extents(count)};
    const auto placeOf = [&](const QPointF& vertex) { return 2 * (sectionOf(vertex.x()) + margin); };
    const int begin = std::max(0, ceilingOf(placeOf(line.first()))), end = std::min(2 * count, floorOf(placeOf(line.last())));
    // What the line is where halves meet; between two of these it is straight, but for its vertices.
    const auto edges = std::make_unique_for_overwrite<float[]>(2 * std::size_t(count) + kLanes + 1);
    double x0 = placeOf(line.first()), y0 = rowOf(line.first().y());
    int edge = begin;
    for (const QPointF& vertex : line) {
        const double x1 = placeOf(vertex), y1 = rowOf(vertex.y()), slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
        const int half = floorOf(x1), last = std::min(end, half);
        const Lanes steps = float(slope) * Lanes{0, 1, 2, 3};
        for (; edge <= last; edge += kLanes) storeLanes(float(y0 + slope * (edge - x0)) + steps, &edges[std::size_t(edge)]);
        edge = std::max(begin, last + 1);  // the next segment writes again what is behind
        if (x0 == x1 || half != x1) halves.add(half, float(y1));
        if (x0 == x1 && half == x1) halves.add(half - 1, float(y1));
        x0 = x1;
        y0 = y1;
    }
    if (begin > end) return halves;
    if (placeOf(line.first()) < begin) halves.add(begin - 1, edges[std::size_t(begin)]);
    if (x0 > end) halves.add(end, edges[std::size_t(end)]);
    halves.left.addSegments(&edges[0], begin, end);
    halves.right.addSegments(&edges[1], begin - 1, end - 1);
    return halves;
}

/// Moves a disc along the line: what a section is covered by is what its middle is. Of each half section beside it counts the
/// height that the disc has there.
LineImage::Extents LineImage::widened(const QPolygonF& line, double radius) const {
    const int reach = std::max(1, int(std::lround(2 * radius * kSamples))), margin = reach / 2 + 1;
    std::vector<float> heights;
    for (int away = 0; away < reach; ++away) {
        const double beside = (away + 0.5) / (2 * kSamples);
        heights.push_back(float(std::sqrt(std::max(0.0, radius * radius - beside * beside))));
    }
    const Halves halves = extents(line, margin);
    Extents wide(sections_);
    const auto lower = [&](std::vector<float> Extents::*side) {
        lowerTo((wide.*side).data(), (halves.left.*side).data() + margin, (halves.right.*side).data() + margin, heights,
                sections_);
    };
    lower(&Extents::tops);
    lower(&Extents::negatedBottoms);
    return wide;
}

/// Measures the length of the line up to the middle of every section, in logical pixels, less whole periods; 0 where a segment
/// is so steep that it shows no gap.
std::vector<float> LineImage::ways(const QPolygonF& line, double period) const {
    std::vector<float> ways(std::size_t(sections_) + kLanes);
    const auto behindOf = [this](double x) { return std::clamp(ceilingOf(x - 0.5), 0, sections_); };
    double length = 0, x0 = sectionOf(line.first().x());
    int first = behindOf(x0);
    for (qsizetype v = 0; v + 1 < line.size(); ++v) {
        const QPointF way = line[v + 1] - line[v];
        const double own = std::sqrt(QPointF::dotProduct(way, way)), x1 = sectionOf(line[v + 1].x());
        if (const int behind = behindOf(x1); first < behind) {
            const double slope = own / (x1 - x0);
            if (slope <= period) {
                const Lanes steps = float(slope) * Lanes{0, 1, 2, 3};
                double at = length + slope * (first + 0.5 - x0);
                for (int i = first; i < behind; i += kLanes, at += kLanes * slope)
                    storeLanes(float(at) + steps, &ways[std::size_t(i)]);
            } else {
                std::fill(ways.begin() + first, ways.begin() + behind, 0.0F);
            }
            first = behind;
        }
        x0 = x1;
        length += own;
        if (length >= period) length -= period * floorOf(length / period);
    }
    return ways;
}

/// Empties the sections in whose middle the pen is up. `dash`: how far it is down, up, down …, an even count.
void LineImage::cutDashes(const QPolygonF& line, const QVector<qreal>& dash, Extents& sections) const {
    const double period = std::accumulate(dash.begin(), dash.end(), 0.0);
    if (period <= 0) return;
    const std::vector<float> alongLine = ways(line, period);
    for (int i = 0; i < sections_; i += kLanes) {
        const Lanes way = loadLanes(&alongLine[std::size_t(i)]);
        const Lanes periods = way * float(1 / period);
        const Lanes rest = way - float(period) * wholePart(periods);
        float *const top = &sections.tops[std::size_t(i)], *const bottom = &sections.negatedBottoms[std::size_t(i)];
        double down = 0, up = 0;  // where the pen goes down, and up
        for (qsizetype piece = 0; piece + 1 < dash.size(); piece += 2) {
            up = down + dash[piece];
            down = up + dash[piece + 1];
            const auto isUp = (rest >= lanesOf(float(up))) & (rest < lanesOf(float(down)));
            storeLanes(isUp ? lanesOf(kNone) : loadLanes(top), top);
            storeLanes(isUp ? lanesOf(kNone) : loadLanes(bottom), bottom);
        }
    }
}

LineImage::Extents LineImage::ofSpans(const std::vector<Span>& spans) const {
    Extents sections(sections_);
    for (std::size_t i = 0; i < std::min(spans.size(), std::size_t(columns_)); ++i) {
        if (spans[i].empty()) continue;
        const auto top = float(std::lround(rowOf(spans[i].top)));
        const auto bottom = std::max(top + 1, float(std::lround(rowOf(spans[i].bottom))));
        std::fill_n(sections.tops.begin() + std::ptrdiff_t(i * kSamples), kSamples, top);
        std::fill_n(sections.negatedBottoms.begin() + std::ptrdiff_t(i * kSamples), kSamples, -bottom);
    }
    return sections;
}

/// kStrip columns from `left` on, of all lines in their order, into an image whose rows are so many pixels apart.
void LineImage::paintStrip(const std::vector<Extents>& lines, int left, QRgb* pixels, std::ptrdiff_t apart) const {
    const int width = std::min(kStrip, columns_ - left);
    ColumnPainter painter(kStrip, rows_);
    const auto fetch = [left](const Extents& line) {  // what a strip reads of it
        for (int i = left * kSamples; i < (left + kStrip) * kSamples; i += kCacheLine) {
            __builtin_prefetch(&line.tops[std::size_t(i)]);
            __builtin_prefetch(&line.negatedBottoms[std::size_t(i)]);
        }
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i + 2 < lines.size()) fetch(lines[i + 2]);
        const QRgb color = qPremultiply(shapes_[i].stroke.color.rgba());
        for (int x = 0; x < width; ++x) {
            const std::size_t at = std::size_t(left + x) * kSamples;
            painter.paint(x, lines[i].tops.data() + at, lines[i].negatedBottoms.data() + at, color);
        }
    }
    painter.copyTo(pixels + left, width, apart);
}

QImage LineImage::picture() const {
    QImage picture(std::max(1, columns_), std::max(1, rows_), QImage::Format_ARGB32_Premultiplied);
    picture.fill(0);
    picture.setDevicePixelRatio(ratio_);
    std::vector<Extents> lines(shapes_.size(), Extents(0));
    const bool areMany = LineImage::areMany(lines.size());
    inParallel(int(lines.size()), areMany, [&](int i) { lines[std::size_t(i)] = sectionsOf(shapes_[std::size_t(i)]); });
    auto* const pixels = reinterpret_cast<QRgb*>(picture.bits());
    const std::ptrdiff_t apart = picture.bytesPerLine() / std::ptrdiff_t(sizeof(QRgb));
    inParallel((columns_ + kStrip - 1) / kStrip, areMany, [&](int i) { paintStrip(lines, i * kStrip, pixels, apart); });
    return picture;
}

}  // namespace heddle::ui
