// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/curve_line.h"

#include "ui/plot/marker.h"
#include "ui/theme/theme.h"
#include "ui/threads/parallel.h"

#include <cmath>

namespace heddle::ui {
namespace {

constexpr qreal kSide = 6, kEndSide = 8;  // of the markers along a line and of the last one

}  // namespace

/// The device pixel columns of the axis rect and the steps at their edges.
struct CurveLine::Columns {
    double left = 0, step = 1;  ///< logical pixels of the first edge and between edges
    std::vector<Step> edges;
    StepRange visible;

    std::size_t count() const { return edges.size() - 1; }
    double middle(std::size_t i) const { return left + (double(i) + 0.5) * step; }
};

CurveLine::CurveLine(QCPAxis* keyAxis, QCPAxis* valueAxis, const StepAxis* steps, LineLayer& layer)
    : QCPAbstractPlottable(keyAxis, valueAxis), steps_(steps), layer_(layer) {}

RunStyle CurveLine::style() const {
    RunStyle style = Theme::runAt(curve.order);
    if (curve.rule == LineRule::Solid) style.dash.clear();
    if (curve.rule == LineRule::Valid) style.dash = {6, 3};
    if (curve.weight == LineWeight::Muted) style = {Theme::color(Token::Text2), {}, style.marker};
    return style;
}

qreal CurveLine::width() const {
    switch (curve.weight) {
    case LineWeight::Normal: return 1.8;
    case LineWeight::Baseline: return 2.4;
    case LineWeight::Seed:
    case LineWeight::Muted: return 1;
    }
    return 1.8;
}

CurveLine::Columns CurveLine::columns(double ratio) const {
    Columns result;
    const QRect rect = mKeyAxis->axisRect()->rect();
    const auto count = std::size_t(std::max(1.0, std::ceil(rect.width() * ratio)));
    result.left = rect.left();
    result.step = 1 / ratio;
    result.edges.resize(count + 1);
    const double low = mKeyAxis->range().lower, perColumn = mKeyAxis->range().size() / (rect.width() * ratio);
    for (std::size_t i = 0; i <= count; ++i)
        result.edges[i] = Step(std::ceil(std::clamp(steps_->toStep(low + double(i) * perColumn), -1e15, 1e15)));
    result.visible = {result.edges.front(), result.edges.back() - 1};
    return result;
}

/// Vertices are kept near the picture: far ones cost time in the rasteriser and overflow it.
double CurveLine::pixelOfValue(double value) const {
    const QRect rect = mKeyAxis->axisRect()->rect();
    if (mValueAxis->scaleType() == QCPAxis::stLogarithmic && value <= 0) return rect.bottom() + 50.0;
    return std::clamp(mValueAxis->coordToPixel(value), rect.top() - 2000.0, rect.bottom() + 2000.0);
}

void CurveLine::draw(QCPPainter* painter) {
    drawn_.clear();
    if (!curve.rows || curve.rows->size() == 0) return;
    const double ratio = painter->device()->devicePixelRatioF();
    painter->save();
    if (curve.low && curve.high) drawBand(*painter, columns(ratio));
    if (!layer_.add(*this, *painter)) {
        for (const LineImage::Shape& shape : shapes(ratio)) drawShape(*painter, shape, ratio);
        drawMarkers(*painter);
    }
    painter->restore();
}

/// As vectors.
void CurveLine::drawShape(QCPPainter& painter, const LineImage::Shape& shape, double ratio) const {
    painter.setAntialiasing(shape.spans.empty());
    painter.setPen(linePen(shape.stroke.color, shape.stroke.width, shape.stroke.dash));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(shape.line);
    const double left = mKeyAxis->axisRect()->rect().left(), width = 1 / ratio;
    for (std::size_t i = 0; i < shape.spans.size(); ++i)
        if (const Span& span = shape.spans[i]; !span.empty())
            painter.fillRect(QRectF(left + double(i) * width, span.top, width, span.bottom - span.top), shape.stroke.color);
}

std::vector<LineImage::Shape> CurveLine::shapes(double ratio) {
    std::vector<LineImage::Shape> shapes;
    const Columns cols = columns(ratio);
    if (isSmooth()) addRows(shapes, cols);
    const RunStyle own = style();
    drawn_ = polylines(*line(), cols);
    drawnTo_ = line()->range().last;
    for (const QPolygonF& part : drawn_)
        shapes.push_back({{isThin() ? withAlpha(own.color, 0.45) : own.color, width(), own.dash}, part, {}});
    return shapes;
}

bool CurveLine::hasGrown() const {
    if (!curve.rows || curve.rows->size() == 0) return false;
    if (!drawnTo_) return true;
    const double end = mKeyAxis->axisRect()->right() + 10.0;  // the last marker overlaps the edge of the picture
    const auto place = [&](Step step) { return std::min(end, mKeyAxis->coordToPixel(steps_->toX(double(step)))); };
    return (place(line()->range().last) - place(*drawnTo_)) * mParentPlot->bufferDevicePixelRatio() >= 1;
}

QList<QPolygonF> CurveLine::polylines(const Series& source, const Columns& cols) const {
    QList<QPolygonF> parts(1);
    const auto add = [&parts](QPointF point, bool broken) {
        if (broken && !parts.last().isEmpty()) parts.append(QPolygonF());
        parts.last().append(point);
    };
    bool broken = false;
    if (source.count(cols.visible) <= std::int64_t(cols.count())) {
        for (const Row& row : source.rows(cols.visible, std::int64_t(cols.count()) + 2)) {
            if (!std::isfinite(row.value)) {
                broken = true;
                continue;
            }
            const double x = std::clamp(mKeyAxis->coordToPixel(steps_->toX(double(row.step))), -1e5, 1e5);
            add({x, pixelOfValue(row.value)}, std::exchange(broken, false));
        }
        return parts;
    }
    std::vector<Bucket> buckets(cols.count());
    source.pictureBuckets(cols.edges, buckets);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (buckets[i].empty()) {
            broken = broken || buckets[i].broken > 0;
            continue;
        }
        add({cols.middle(i), pixelOfValue(buckets[i].mean())}, std::exchange(broken, false));
    }
    return parts;
}

/// The stored rows behind a smoothed line.
void CurveLine::addRows(std::vector<LineImage::Shape>& shapes, const Columns& cols) const {
    const bool slate = curve.order <= 0;
    const QColor faint = withAlpha(style().color, slate ? 0.22 : 0.28);
    if (curve.rows->count(cols.visible) > std::int64_t(cols.count()) / 2)
        return shapes.push_back({{faint, 0, {}}, {}, spansOfRows(cols)});
    for (const QPolygonF& part : polylines(*curve.rows, cols)) shapes.push_back({{faint, 1, {}}, part, {}});
}

/// Logical y from the largest to the smallest row of each column; neighbours touch, as a line through the rows would.
std::vector<Span> CurveLine::spansOfRows(const Columns& cols) const {
    std::vector<Bucket> buckets(cols.count());
    curve.rows->pictureBuckets(cols.edges, buckets);
    const QRect rect = mKeyAxis->axisRect()->rect();
    std::vector<Span> spans(cols.count());
    Span before;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (buckets[i].empty()) continue;
        const Span own{pixelOfValue(buckets[i].max), pixelOfValue(buckets[i].min) + cols.step};
        Span span = own;
        if (!before.empty()) {
            span.top = std::min(span.top, before.bottom - cols.step);
            span.bottom = std::max(span.bottom, before.top + cols.step);
        }
        before = own;
        spans[i] = {std::max(span.top, rect.top() - 1.0), std::min(span.bottom, rect.bottom() + 2.0)};
    }
    return spans;
}

void CurveLine::drawBand(QCPPainter& painter, const Columns& cols) const {
    QPolygonF outline;
    for (const QPolygonF& part : polylines(*curve.high, cols)) outline += part;
    QPolygonF back;
    for (const QPolygonF& part : polylines(*curve.low, cols)) back += part;
    std::reverse(back.begin(), back.end());
    outline += back;
    painter.setAntialiasing(true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(withAlpha(style().color, 0.16));
    painter.drawPolygon(outline);
}

void CurveLine::drawMarkers(QCPPainter& painter) {
    const Series& shown = *line();
    if (isThin() && shown.size() > 1) return;
    const QRect rect = mKeyAxis->axisRect()->rect();
    const RunStyle own = style();
    const auto paintAt = [&](Row row, qreal side) {
        if (!std::isfinite(row.value)) return;
        const QPointF place(mKeyAxis->coordToPixel(steps_->toX(double(row.step))), pixelOfValue(row.value));
        if (!QRectF(rect).adjusted(-5, -5, 5, 5).contains(place)) return;
        paintMarker(painter, place, own, side);
    };
    const Row last = shown.at(shown.size() - 1);
    painter.setClipping(false);  // the marker at the right edge is shown whole
    paintAt(last, kEndSide);
    painter.setClipping(true);
    if (!markersAlong) return;
    // At steps 1, 2 or 5 × 10ⁿ apart, so that they do not move along the curve while the axis moves.
    const double perPixel = mKeyAxis->range().size() / std::max(1, rect.width());
    const double wanted =
        std::max(1.0, steps_->toStep(mKeyAxis->range().lower + 90 * perPixel) - steps_->toStep(mKeyAxis->range().lower));
    const double power = std::pow(10, std::floor(std::log10(wanted))), lead = wanted / power;
    const double every = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
    const double first = steps_->toStep(mKeyAxis->range().lower), end = steps_->toStep(mKeyAxis->range().upper);
    const double shift = every * (0.15 + 0.23 * (markerLane % 4));
    for (double step = std::ceil((first - shift) / every) * every + shift; step <= end && step < double(last.step);
         step += every)
        if (const auto row = shown.nearest(step); row && std::abs(double(row->step) - step) <= every / 4) paintAt(*row, kSide);
}

CurveLine::Fit CurveLine::fitOf(double first, double last, double cut) const {
    if (!curve.rows || curve.rows->size() == 0) return {};
    constexpr std::size_t kColumns = 400;
    std::vector<Step> edges(kColumns + 1);
    for (std::size_t i = 0; i <= kColumns; ++i) edges[i] = Step(std::ceil(first + (last - first + 1) * double(i) / kColumns));
    std::vector<Bucket> buckets(kColumns);
    line()->pictureBuckets(edges, buckets);
    std::vector<double> tops;
    double low = std::numeric_limits<double>::infinity();
    for (const Bucket& bucket : buckets) {
        if (bucket.empty()) continue;
        low = std::min(low, bucket.min);
        tops.push_back(bucket.max);
    }
    if (tops.empty()) return {};
    if (isSmooth()) {
        curve.rows->pictureBuckets(edges, buckets);
        std::vector<double> bottoms;
        for (const Bucket& bucket : buckets)
            if (!bucket.empty()) bottoms.push_back(bucket.min);
        std::sort(bottoms.begin(), bottoms.end());
        if (!bottoms.empty()) low = std::min(low, bottoms[bottoms.size() / 20]);
    }
    std::sort(tops.begin(), tops.end());
    const auto left = std::size_t(cut * double(tops.size()));  // none if there are few
    return {{low, tops[tops.size() - 1 - left]}, tops.back()};
}

void CurveLine::drawLegendIcon(QCPPainter* painter, const QRectF& rect) const {
    paintLineSample(*painter, rect, style(), SampleMarker::End);
}

LineLayer::LineLayer(QCustomPlot* plot) : QCPLayerable(plot, QStringLiteral("lines")) {}

QRect LineLayer::clipRect() const { return mParentPlot->axisRect()->rect(); }

bool LineLayer::add(CurveLine& line, QCPPainter& painter) {
    if (painter.paintEngine()->type() != QPaintEngine::Raster) return false;
    lines_.append(&line);
    return true;
}

void LineLayer::draw(QCPPainter* painter) {
    const QList<CurveLine*> lines = std::exchange(lines_, {});
    if (lines.isEmpty()) return;
    const double ratio = painter->device()->devicePixelRatioF();
    std::vector<std::vector<LineImage::Shape>> shapes(std::size_t(lines.size()));
    inParallel(int(lines.size()), LineImage::areMany(shapes.size()),
               [&](int i) { shapes[std::size_t(i)] = lines[i]->shapes(ratio); });
    LineImage image(clipRect(), ratio);
    for (auto& ofLine : shapes)
        for (LineImage::Shape& shape : ofLine) {
            constexpr double kHalf = 0.5;  // QCPPainter moves smooth lines by so much
            shape.line.translate(kHalf, kHalf);
            image.add(std::move(shape));
        }
    painter->setAntialiasing(false);
    painter->drawImage(clipRect().topLeft(), image.picture());
    for (CurveLine* line : lines) line->drawMarkers(*painter);
}

}  // namespace heddle::ui
