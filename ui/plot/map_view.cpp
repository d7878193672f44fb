// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/map_view.h"

#include "ui/text/number.h"

#include <QAbstractScrollArea>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <cmath>
#include <stdexcept>

namespace heddle::ui {

MapData averaged(const MapData& data, QSize block) {
    MapData result = data;
    result.columns = (data.columns + block.width() - 1) / block.width();
    result.rows = (data.rows + block.height() - 1) / block.height();
    const std::size_t cells = std::size_t(result.rows) * std::size_t(result.columns);
    result.values.assign(cells, 0);
    result.masked.assign(cells, 0);
    for (int row = 0; row < result.rows; ++row)
        for (int column = 0; column < result.columns; ++column) {
            double sum = 0;
            int good = 0, broken = 0;
            for (int r = row * block.height(); r < std::min(data.rows, (row + 1) * block.height()); ++r)
                for (int c = column * block.width(); c < std::min(data.columns, (column + 1) * block.width()); ++c) {
                    if (data.isMasked(r, c)) continue;
                    if (!std::isfinite(data.at(r, c)))
                        ++broken;
                    else
                        sum += double(data.at(r, c)), ++good;
                }
            const std::size_t cell = std::size_t(row) * std::size_t(result.columns) + std::size_t(column);
            result.masked[cell] = good + broken == 0;
            result.values[cell] = good > 0 ? float(sum / good) : std::nanf("");
        }
    return result;
}

QImage codedPicture(const MapData& map, const MapScale& scale) {
    QImage picture(std::max(1, map.columns), std::max(1, map.rows), QImage::Format_Indexed8);
    picture.fill(kNotDrawn);
    for (int row = 0; row < map.rows; ++row) {
        uchar* const codes = picture.scanLine(row);
        for (int column = 0; column < map.columns; ++column)
            if (!map.isMasked(row, column) && std::isfinite(map.at(row, column)))
                codes[column] = uchar(std::lround(scale.position(double(map.at(row, column))) * (kNotDrawn - 1)));
    }
    return picture;
}

MapView::MapView(QWidget* parent) : PlotView(parent) {
    makeCanvas();
    canvas().setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // averaged, not scrolled
}

void MapView::setData(MapData data, const MapScale& scale) {
    scale_ = scale;
    setData(std::move(data));
}

void MapView::setData(MapData data) {
    const std::size_t cells = std::size_t(data.rows) * std::size_t(data.columns);
    if (data.values.size() != cells || (!data.masked.empty() && data.masked.size() != cells))
        throw std::invalid_argument("map: values and mask must hold rows × columns cells");
    const bool labelsChange = data.rowLabels != data_.rowLabels || data.columnLabels != data_.columnLabels ||
                              data.rowValues != data_.rowValues || data.columns != data_.columns;
    data_ = std::move(data);
    if (labelsChange) measureLabels();
    rebuild();
    if (current_ && (current_->y() >= data_.rows || current_->x() >= data_.columns)) setCurrent(std::nullopt);
    tableChanged();
}

void MapView::setScale(const MapScale& scale) {
    if (scale == scale_) return;
    scale_ = scale;
    rebuild();
}

void MapView::setShape(MapShape shape) {
    shape_ = shape;
    rebuild();
}

void MapView::setCurrent(std::optional<QPoint> cell) {
    if (cell == current_) return;
    current_ = cell;
    redraw();
    describeChoice(cell ? accessibleText(*cell) : QString());
    Q_EMIT currentChanged(cell);
}

QString MapView::accessibleText(QPoint cell) const {
    QString row = data_.rowLabels.value(cell.y(), tr("row %1").arg(cell.y()));
    if (cell.x() < 0) return row;
    const bool named = data_.columnLabels.size() == data_.columns;
    const QString column = named ? data_.columnLabels[cell.x()] : tr("column %1").arg(cell.x());
    const QString value = data_.isMasked(cell.y(), cell.x()) ? tr("masked") : shortNumber(double(data_.at(cell.y(), cell.x())));
    //: Row, column and value of a cell.
    return tr("%1, %2: %3").arg(row, column, value);
}

QString MapView::caption() const {
    return block_ == QSize(1, 1) ? QString() : tr("mean of %1 × %2 cells").arg(block_.height()).arg(block_.width());
}

void MapView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && current_) return setCurrent(std::nullopt);
    const QPoint step = stepOf(*event);
    if (step.isNull() || data_.rows == 0) return PlotView::keyPressEvent(event);
    const QPoint next = current_ ? *current_ + step : QPoint(0, 0);
    setCurrent(QPoint(std::clamp(next.x(), 0, data_.columns - 1), std::clamp(next.y(), 0, data_.rows - 1)));
}

bool MapView::chartEvent(QEvent& event) {
    switch (event.type()) {
    case QEvent::Resize: rebuild(); return false;
    case QEvent::Leave: Q_EMIT hovered(std::nullopt); return false;
    case QEvent::MouseMove: {
        const auto& mouse = static_cast<QMouseEvent&>(event);
        const auto cell = cellAt(mouse.pos());
        if (cell)
            QToolTip::showText(mouse.globalPosition().toPoint(), accessibleText(*cell), canvas().viewport());
        else
            QToolTip::hideText();
        Q_EMIT hovered(cell);
        return true;
    }
    case QEvent::MouseButtonPress:
        if (const auto& mouse = static_cast<QMouseEvent&>(event); mouse.button() == Qt::LeftButton)
            setCurrent(cellAt(mouse.pos()));
        return true;
    default: return false;
    }
}

void MapView::changeEvent(QEvent* event) {
    PlotView::changeEvent(event);
    if (event->type() != QEvent::FontChange) return;
    measureLabels();
    rebuild();
}

PlotTable MapView::table() const {
    PlotTable table;
    table.columns << QString();
    const bool named = data_.columnLabels.size() == data_.columns;
    for (int column = 0; column < data_.columns; ++column)
        table.columns << (named ? data_.columnLabels[column] : count(column));
    for (int row = 0; row < data_.rows; ++row) {
        QStringList cells{data_.rowLabels.value(row, count(row))};
        for (int column = 0; column < data_.columns; ++column)
            cells << (data_.isMasked(row, column) ? QString() : number(double(data_.at(row, column)), 4));
        table.rows << cells;
    }
    return table;
}

}  // namespace heddle::ui
