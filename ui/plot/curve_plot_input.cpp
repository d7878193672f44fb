// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard of a curve plot, and its table.
#include "ui/plot/curve_plot.h"

#include "ui/plot/plot_layers.h"
#include "ui/text/number.h"
#include "ui/theme/type.h"

#include <QKeyEvent>
#include <QToolTip>

namespace heddle::ui {
namespace {
constexpr std::int64_t kTableRows = 500;
constexpr double kWheelFactor = 0.85;
}  // namespace

bool CurvePlot::eventFilter(QObject* watched, QEvent* event) {
    return (watched == plot_ && mouse(event)) || PlotView::eventFilter(watched, event);
}

bool CurvePlot::mouse(QEvent* event) {
    switch (event->type()) {
    case QEvent::MouseButtonDblClick: resetZoom(); return true;
    case QEvent::MouseButtonPress: {
        const auto* press = static_cast<QMouseEvent*>(event);
        setFocus(Qt::MouseFocusReason);
        const bool pan = press->button() == Qt::MiddleButton || (press->modifiers() & Qt::ControlModifier);
        if (pan)
            panFrom_ = press->position();
        else if (press->button() == Qt::LeftButton)
            dragFrom_ = press->position();
        return pan || press->button() == Qt::LeftButton;
    }
    case QEvent::MouseMove: {
        const QPointF place = static_cast<QMouseEvent*>(event)->position();
        if (panFrom_)
            panTo(place);
        else
            hover(place);
        return true;
    }
    case QEvent::MouseButtonRelease: {
        const QPointF place = static_cast<QMouseEvent*>(event)->position();
        panFrom_.reset();
        if (dragFrom_) zoomTo(QRectF(*std::exchange(dragFrom_, std::nullopt), place).normalized());
        cursorLayer_->rubberBand = {};
        updateCursor();
        return true;
    }
    case QEvent::Leave:
        moveCursorTo(std::nullopt, std::nullopt);
        Q_EMIT cursorMoved(std::nullopt);
        return false;
    case QEvent::Wheel: {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        const double turns = (wheel->angleDelta().y() + wheel->angleDelta().x()) / 120.0;
        QCPAxis* axis = wheel->modifiers() & Qt::ShiftModifier ? plot_->yAxis : plot_->xAxis;
        const double centre = axis == plot_->xAxis ? wheel->position().x() : wheel->position().y();
        axis->scaleRange(std::pow(kWheelFactor, turns), axis->pixelToCoord(centre));
        zoomed_ = true;
        scheduleReplot();
        return true;
    }
    default: return false;
    }
}

void CurvePlot::panTo(QPointF place) {
    plot_->xAxis->moveRange(plot_->xAxis->pixelToCoord(panFrom_->x()) - plot_->xAxis->pixelToCoord(place.x()));
    if (scale_ == AxisScale::Linear)
        plot_->yAxis->moveRange(plot_->yAxis->pixelToCoord(panFrom_->y()) - plot_->yAxis->pixelToCoord(place.y()));
    panFrom_ = place;
    zoomed_ = true;
    scheduleReplot();
}

/// Draws the rubber band of a drag, moves the cursor and shows the event below it.
void CurvePlot::hover(QPointF place) {
    cursorLayer_->rubberBand = dragFrom_ ? QRectF(*dragFrom_, place).normalized() : QRectF();
    const bool inside = plot_->axisRect()->rect().contains(place.toPoint());
    moveCursorTo(inside ? std::optional(steps_.toStep(plot_->xAxis->pixelToCoord(place.x()))) : std::nullopt, place.y());
    Q_EMIT cursorMoved(cursorLayer_->step);
    if (const CurveEvent* under = inside ? eventLayer_->at(place) : nullptr)
        QToolTip::showText(plot_->mapToGlobal(place.toPoint()), under->text, plot_);
    else
        QToolTip::hideText();
}

void CurvePlot::zoomTo(QRectF pixels) {
    if (pixels.width() < px(6) && pixels.height() < px(6)) return;  // a click
    // A flat drag zooms in x only, a narrow one in y only.
    if (pixels.width() >= px(6))
        plot_->xAxis->setRange(plot_->xAxis->pixelToCoord(pixels.left()), plot_->xAxis->pixelToCoord(pixels.right()));
    if (pixels.height() >= px(6))
        plot_->yAxis->setRange(plot_->yAxis->pixelToCoord(pixels.bottom()), plot_->yAxis->pixelToCoord(pixels.top()));
    zoomed_ = true;
    scheduleReplot();
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
    const bool plain = event->modifiers() == Qt::NoModifier, shift = event->modifiers() == Qt::ShiftModifier;
    if (plain && event->key() == Qt::Key_Y) return setValueScale(scale_ == AxisScale::Log ? AxisScale::Linear : AxisScale::Log);
    if (plain && event->key() == Qt::Key_R) return resetZoom();
    if (plain && event->key() == Qt::Key_Escape && zoomed_) return resetZoom();
    if (shift && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        const auto [first, last] = stepRange();
        const double pixel = (last - first) / std::max(1, plot_->axisRect()->width());
        const double from = cursorLayer_->step.value_or((first + last) / 2);
        const double to = std::clamp(from + (event->key() == Qt::Key_Left ? -5 : 5) * pixel, first, last);
        moveCursorTo(to, std::nullopt);
        Q_EMIT cursorMoved(to);
        return;
    }
    PlotView::keyPressEvent(event);
}

PlotTable CurvePlot::table() const {
    PlotTable table;
    table.columns << tr("Step");
    const auto [first, last] = stepRange();
    const StepRange visible{Step(std::ceil(first)), Step(std::floor(last))};
    std::vector<Step> steps;  // every row of every curve if they are few
    for (const CurveLine* line : lines_) {
        table.columns << line->curve.label;
        if (!line->curve.rows || line->line()->count(visible) > kTableRows) continue;
        for (const Row& row : line->line()->rows(visible, kTableRows + 2))
            if (row.step >= visible.first && row.step <= visible.last) steps.push_back(row.step);
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    const Step width = std::max<Step>(1, (visible.last - visible.first) / kTableRows + 1);
    if (steps.empty() || std::int64_t(steps.size()) > kTableRows) {
        steps.clear();
        for (Step step = visible.first; step <= visible.last; step += width) steps.push_back(step);
        table.caption = tr("mean of %1 steps").arg(qint64(width));
    }
    steps.push_back(visible.last + 1);
    std::vector<std::vector<Bucket>> columns;
    for (const CurveLine* line : lines_) {
        columns.emplace_back(steps.size() - 1);
        if (line->curve.rows) line->line()->buckets(steps, columns.back());
    }
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        QStringList row{count(steps[i])};
        bool any = false;
        for (const auto& column : columns) {
            any = any || !column[i].empty();
            row << (column[i].broken && column[i].empty()
                        ? number(std::nan(""), 0)
                        : number(column[i].empty() ? std::nullopt : std::optional(column[i].mean()), cursorLayer_->decimals));
        }
        if (any) table.rows << row;
    }
    return table;
}

}  // namespace heddle::ui
