// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/strip_plot.h"

#include "ui/plot/axis_ticks.h"
#include "ui/plot/marker.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

constexpr int kPitch = 22, kAxis = 20, kTop = 6, kLegend = 20;  ///< px

Extent extentOf(const StripData& data) {
    Extent extent;
    const auto add = [&extent](double value) {
        if (std::isfinite(value)) extent.add(value);
    };
    for (const StripRow& row : data.rows) {
        for (const StripPoint& point : row.points) add(point.value);
        if (row.span) add(row.span->first), add(row.span->second);
    }
    return niceExtent(extent);
}

/// The part of the picture with the values.
struct Frame {
    QRectF area;
    Extent extent;

    double x(double value) const { return area.left() + area.width() * (value - extent.low) / (extent.high - extent.low); }
};

void paintAxis(QPainter& painter, const Frame& frame) {
    const AxisTicks ticks = ticksOf(frame.extent, frame.area.width() / px(90));
    painter.setFont(numberFont(Type::Caption));
    for (const double value : ticks.at) {
        const double x = std::round(frame.x(value));
        painter.fillRect(QRectF(x, frame.area.top(), 1, frame.area.height()), Theme::color(Token::Plotgrid));
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(QRectF(x - px(40), frame.area.bottom(), px(80), px(kAxis - 4)), Qt::AlignCenter,
                         number(value, ticks.decimals));
    }
}

void paintRow(QPainter& painter, const Frame& frame, const StripRow& row, double middle) {
    if (row.span) {
        painter.setPen(QPen(Theme::color(Token::Border), px(1.5)));
        painter.drawLine(QPointF(frame.x(row.span->first), middle), QPointF(frame.x(row.span->second), middle));
    }
    for (const StripPoint& point : row.points)
        if (std::isfinite(point.value))
            paintMarker(painter, QPointF(frame.x(point.value), middle), Theme::runAt(std::max(point.order, 0)), px(8));
    if (row.mean && std::isfinite(*row.mean))
        painter.fillRect(QRectF(frame.x(*row.mean) - 1, middle - px(8), 2, px(16)), Theme::color(Token::Text));
}

void paintLegend(QPainter& painter, const StripData& data, QPointF at) {
    painter.setFont(typeFont(Type::Caption));
    for (const auto& [order, name] : data.legend) {
        paintMarker(painter, at + QPointF(px(5), px(8)), Theme::runAt(std::max(order, 0)), px(8));
        painter.setPen(Theme::color(Token::Text2));
        const int width = textWidth(name, typeFont(Type::Caption));
        painter.drawText(QRectF(at.x() + px(13), at.y(), width + 1, px(16)), Qt::AlignVCenter, name);
        at.rx() += px(13) + width + px(12);
    }
    painter.setPen(Theme::color(Token::Text2));
    painter.drawText(QRectF(at, QSizeF(px(400), px(16))), Qt::AlignVCenter, data.title);
}

}  // namespace

StripPlot::StripPlot(QWidget* parent) : PlotView(parent) {
    makeCanvas();
    canvas().setMinimumSize(1, 1);
}

void StripPlot::setData(StripData data) {
    data_ = std::move(data);
    redraw();
    updateGeometry();
    tableChanged();
}

int StripPlot::leastHeight() const { return px(kTop + kAxis + kLegend + kPitch * int(data_.rows.size())); }
QSize StripPlot::sizeHint() const { return {px(260), leastHeight()}; }

void StripPlot::paintOn(QPaintDevice& device, QSize size) {
    QPainter painter(&device);
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    if (data_.rows.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const QFont font = typeFont(Type::Caption);
    int labels = 0;
    for (const StripRow& row : data_.rows) labels = std::max(labels, textWidth(row.label, font));
    labels = std::min(labels, size.width() / 2);
    const double left = px(10) + labels + px(10), below = px(kAxis + kLegend);
    const Frame frame{QRectF(left, px(kTop), std::max<double>(px(40), size.width() - left - px(16)),
                             std::max<double>(px(kPitch), size.height() - px(kTop) - below)),
                      extentOf(data_)};
    paintAxis(painter, frame);
    const double pitch = std::min<double>(px(32), frame.area.height() / double(data_.rows.size()));
    for (int i = 0; i < data_.rows.size(); ++i) {
        const double middle = frame.area.top() + pitch * (i + 0.5);
        painter.setFont(font);
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(QRectF(px(10), middle - px(9), labels, px(18)), Qt::AlignVCenter | Qt::AlignLeft,
                         QFontMetrics(font).elidedText(data_.rows[i].label, Qt::ElideMiddle, labels));
        paintRow(painter, frame, data_.rows[i], middle);
    }
    paintLegend(painter, data_, QPointF(px(10), frame.area.bottom() + px(kAxis)));
}

PlotTable StripPlot::table() const {
    PlotTable table;
    table.caption = data_.title;
    table.columns << QString() << tr("Run") << tr("Value");
    table.textColumns = 2;
    for (const StripRow& row : data_.rows)
        for (const StripPoint& point : row.points)
            table.rows << QStringList{row.label, point.label, number(point.value, data_.decimals)};
    return table;
}

}  // namespace heddle::ui
