// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/parallel_plot.h"

#include "ui/plot/axis_ticks.h"
#include "ui/plot/marker.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QPainter>

#include <algorithm>

namespace heddle::ui {
namespace {

/// Where the axes stand, and what they reach over.
struct Axes {
    QRectF area;
    QList<Extent> extents;

    double x(int axis) const {
        return extents.size() < 2 ? area.center().x() : area.left() + area.width() * axis / double(extents.size() - 1);
    }
    QPointF at(int axis, double value) const {
        const Extent& extent = extents[axis];
        return {x(axis), area.bottom() - area.height() * (value - extent.low) / (extent.high - extent.low)};
    }
};

Axes axesOf(const ParallelData& data, QSize size) {
    Axes axes{QRectF(px(70), px(34), std::max(px(40), size.width() - px(140)), std::max(px(40), size.height() - px(50))), {}};
    for (int axis = 0; axis < data.axes.size(); ++axis) {
        Extent extent;
        for (const ParallelLine& line : data.lines)
            if (line.values[axis]) extent.add(*line.values[axis]);
        axes.extents << niceExtent(extent);
    }
    return axes;
}

void paintAxes(QPainter& painter, const Axes& axes, const ParallelData& data) {
    const double room = data.axes.size() < 2 ? axes.area.width() : axes.area.width() / double(data.axes.size() - 1);
    for (int axis = 0; axis < data.axes.size(); ++axis) {
        const double x = std::round(axes.x(axis));
        painter.fillRect(QRectF(x, axes.area.top(), 1, axes.area.height()), Theme::color(Token::Plotaxis));
        painter.setPen(Theme::color(Token::Text2));
        painter.setFont(typeFont(Type::Caption));
        const int width = int(std::min<double>(room - px(8), px(200)));
        painter.drawText(QRectF(x - width / 2.0, px(6), width, px(16)), Qt::AlignCenter,
                         QFontMetrics(painter.font()).elidedText(data.axes[axis], Qt::ElideMiddle, width));
        painter.setFont(numberFont(Type::Caption));
        const AxisTicks ticks = ticksOf(axes.extents[axis], axes.area.height() / px(60));
        for (const double tick : ticks.at) {
            const QPointF at = axes.at(axis, tick);
            painter.fillRect(QRectF(at.x() - px(3), at.y(), px(6), 1), Theme::color(Token::Plotaxis));
            painter.drawText(QRectF(at.x() - px(66), at.y() - px(8), px(60), px(16)), Qt::AlignRight | Qt::AlignVCenter,
                             number(tick, ticks.decimals));
        }
    }
}

}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : PlotView(parent) {
    makeCanvas();
    canvas().setMinimumSize(1, 1);
}

void ParallelPlot::setData(ParallelData data) {
    data_ = std::move(data);
    redraw();
    tableChanged();
}

void ParallelPlot::paintOn(QPaintDevice& device, QSize size) {
    QPainter painter(&device);
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    if (data_.axes.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    const Axes axes = axesOf(data_, size);
    for (const bool lit : {false, true})  // those that are lit above the others
        for (const ParallelLine& line : data_.lines) {
            if (line.isLit != lit) continue;
            const RunStyle style = Theme::runAt(std::max(line.order, 0));
            QColor colour = style.color;
            if (!lit) colour.setAlphaF(0.25F);
            painter.setPen(linePen(colour, lit ? px(1.8) : px(1), style.dash));
            for (int axis = 1; axis < data_.axes.size(); ++axis)
                if (line.values[axis - 1] && line.values[axis])
                    painter.drawLine(axes.at(axis - 1, *line.values[axis - 1]), axes.at(axis, *line.values[axis]));
        }
    paintAxes(painter, axes, data_);
}

PlotTable ParallelPlot::table() const {
    PlotTable table;
    table.columns << tr("Run") << data_.axes;
    for (const ParallelLine& line : data_.lines) {
        QStringList row{line.label};
        for (int axis = 0; axis < data_.axes.size(); ++axis) row << number(line.values[axis], data_.decimals[axis]);
        table.rows << row;
    }
    return table;
}

}  // namespace heddle::ui
