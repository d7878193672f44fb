// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/scatter_plot.h"

#include "ui/plot/axis_ticks.h"
#include "ui/plot/marker.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

Extent extentOf(const QList<ScatterPoint>& points, double ScatterPoint::*which) {
    Extent extent;
    for (const ScatterPoint& point : points) extent.add(point.*which);
    return niceExtent(extent);
}

}  // namespace

ScatterPlot::ScatterPlot(QWidget* parent) : PlotView(parent) {
    makeCanvas();
    canvas().setMinimumSize(1, 1);
}

void ScatterPlot::setData(ScatterData data) {
    data_ = std::move(data);
    across_ = extentOf(data_.points, &ScatterPoint::x);
    up_ = extentOf(data_.points, &ScatterPoint::y);
    chosen_ = -1;
    redraw();
    tableChanged();
}

QRectF ScatterPlot::areaOf(QSize size) const {
    const double left = px(72), top = px(10), right = px(16), below = px(42);
    return {left, top, std::max<double>(px(20), size.width() - left - right),
            std::max<double>(px(20), size.height() - top - below)};
}

QPointF ScatterPlot::placeOf(const ScatterPoint& point, QSize size) const {
    const QRectF area = areaOf(size);
    const auto &x = across_, &y = up_;
    return {area.left() + area.width() * (point.x - x.low) / (x.high - x.low),
            area.bottom() - area.height() * (point.y - y.low) / (y.high - y.low)};
}

void ScatterPlot::paintOn(QPaintDevice& device, QSize size) {
    QPainter painter(&device);
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    if (data_.points.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = areaOf(size);
    const auto &x = across_, &y = up_;
    painter.setFont(numberFont(Type::Caption));
    const AxisTicks across = ticksOf(x, area.width() / px(90)), up = ticksOf(y, area.height() / px(40));
    for (const double tick : across.at) {
        const double at = std::round(area.left() + area.width() * (tick - x.low) / (x.high - x.low));
        painter.fillRect(QRectF(at, area.top(), 1, area.height()), Theme::color(Token::Plotgrid));
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(QRectF(at - px(50), area.bottom() + px(4), px(100), px(14)), Qt::AlignCenter,
                         number(tick, across.decimals));
    }
    for (const double tick : up.at) {
        const double at = std::round(area.bottom() - area.height() * (tick - y.low) / (y.high - y.low));
        painter.fillRect(QRectF(area.left(), at, area.width(), 1), Theme::color(Token::Plotgrid));
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(QRectF(0, at - px(8), area.left() - px(6), px(16)), Qt::AlignRight | Qt::AlignVCenter,
                         number(tick, up.decimals));
    }
    painter.drawText(QRectF(area.left(), area.bottom() + px(20), area.width(), px(16)), Qt::AlignCenter, data_.xTitle);
    painter.save();
    painter.translate(px(8), area.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-area.height() / 2, 0, area.height(), px(16)), Qt::AlignCenter, data_.yTitle);
    painter.restore();
    painter.setClipRect(area.adjusted(-px(5), -px(5), px(5), px(5)));
    if (data_.line) {
        const auto end = [&](double at) { return placeOf({at, data_.line->first * at + data_.line->second, 0, {}}, size); };
        painter.setPen(QPen(Theme::color(Token::Cross), px(1.5)));
        painter.drawLine(end(x.low), end(x.high));
    }
    for (const ScatterPoint& point : data_.points)
        paintMarker(painter, placeOf(point, size), Theme::runAt(std::max(point.order, 0)), px(8));
    if (chosen_ < 0) return;
    painter.setPen(QPen(Theme::color(Token::Accent), px(2)));
    painter.drawEllipse(placeOf(data_.points[chosen_], size), px(8), px(8));
    painter.setPen(Theme::color(Token::Text));
    painter.drawText(area.adjusted(px(6), px(2), -px(6), 0), Qt::AlignLeft | Qt::AlignTop, wordsOf(chosen_));
}

QString ScatterPlot::wordsOf(int place) const {
    const ScatterPoint& point = data_.points[place];
    return tr("%1: %2 %3, %4 %5", "run: quantity value, quantity value")
        .arg(point.label, data_.xTitle, number(point.x, data_.xDecimals), data_.yTitle, number(point.y, data_.yDecimals));
}

void ScatterPlot::choose(int place) {
    chosen_ = place;
    redraw();
    if (place >= 0) describeChoice(wordsOf(place));
}

void ScatterPlot::keyPressEvent(QKeyEvent* event) {
    const int step = stepOf(*event).x();
    if (step == 0 || data_.points.isEmpty()) return PlotView::keyPressEvent(event);
    choose(std::clamp(chosen_ + step, 0, int(data_.points.size()) - 1));
}

bool ScatterPlot::chartEvent(QEvent& event) {
    if (event.type() != QEvent::MouseButtonPress) return false;
    const QPointF at = static_cast<QMouseEvent&>(event).position();
    const QSize size = canvas().viewport()->size();
    int nearest = -1;
    double least = px(12);
    for (int i = 0; i < data_.points.size(); ++i) {
        const QPointF away = placeOf(data_.points[i], size) - at;
        const double distance = std::hypot(away.x(), away.y());
        if (distance >= least) continue;
        least = distance;
        nearest = i;
    }
    choose(nearest);
    return true;
}

PlotTable ScatterPlot::table() const {
    PlotTable table;
    table.columns << tr("Run") << data_.xTitle << data_.yTitle;
    for (const ScatterPoint& point : data_.points)
        table.rows << QStringList{point.label, number(point.x, data_.xDecimals), number(point.y, data_.yDecimals)};
    return table;
}

}  // namespace heddle::ui
