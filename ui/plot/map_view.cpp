// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/map_view.h"

#include "ui/plot/map_area.h"
#include "ui/text/number.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QPainter>

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

MapView::MapView(QWidget* parent) : PlotView(parent), area_(new MapArea(this)) { setChart(area_); }
MapView::~MapView() = default;

void MapView::setData(MapData data, const MapScale& scale) {
    area_->scale = scale;
    setData(std::move(data));
}

void MapView::setData(MapData data) {
    const std::size_t cells = std::size_t(data.rows) * std::size_t(data.columns);
    if (data.values.size() != cells || (!data.masked.empty() && data.masked.size() != cells))
        throw std::invalid_argument("map: values and mask must hold rows × columns cells");
    area_->setData(std::move(data));
    if (area_->current && (area_->current->y() >= area_->data.rows || area_->current->x() >= area_->data.columns))
        setCurrent(std::nullopt);
    tableChanged();
}

const MapData& MapView::data() const { return area_->data; }
const MapScale& MapView::scale() const { return area_->scale; }
std::optional<QPoint> MapView::current() const { return area_->current; }
const QImage& MapView::picture() const { return area_->image; }

void MapView::setScale(const MapScale& scale) {
    if (scale == area_->scale) return;
    area_->scale = scale;
    area_->rebuild();
}

void MapView::setShape(MapShape shape) {
    area_->shape = shape;
    area_->rebuild();
}

void MapView::setCurrent(std::optional<QPoint> cell) {
    if (cell == area_->current) return;
    area_->current = cell;
    area_->viewport()->update();
    setAccessibleDescription(cell ? accessibleText(*cell) : QString());
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    Q_EMIT currentChanged(cell);
}

QString MapView::accessibleText(QPoint cell) const {
    const MapData& map = area_->data;
    QString row = map.rowLabels.value(cell.y(), tr("row %1").arg(cell.y()));
    if (cell.x() < 0) return row;
    const bool named = map.columnLabels.size() == map.columns;
    const QString column = named ? map.columnLabels[cell.x()] : tr("column %1").arg(cell.x());
    const QString value = map.isMasked(cell.y(), cell.x()) ? tr("masked") : shortNumber(double(map.at(cell.y(), cell.x())));
    return tr("%1, %2: %3").arg(row, column, value);
}

QString MapView::caption() const {
    const QSize block = area_->block;
    return block == QSize(1, 1) ? QString() : tr("mean of %1 × %2 cells").arg(block.height()).arg(block.width());
}

void MapView::keyPressEvent(QKeyEvent* event) {
    QPoint move;
    switch (event->key()) {
    case Qt::Key_Left: move = {-1, 0}; break;
    case Qt::Key_Right: move = {1, 0}; break;
    case Qt::Key_Up: move = {0, -1}; break;
    case Qt::Key_Down: move = {0, 1}; break;
    case Qt::Key_Escape:
        if (current()) return setCurrent(std::nullopt);
        break;
    default: break;
    }
    if (move.isNull() || event->modifiers() != Qt::NoModifier || data().rows == 0) return PlotView::keyPressEvent(event);
    const QPoint next = current() ? *current() + move : QPoint(0, 0);
    setCurrent(QPoint(std::clamp(next.x(), 0, data().columns - 1), std::clamp(next.y(), 0, data().rows - 1)));
}

PlotTable MapView::table() const {
    PlotTable table;
    const MapData& map = area_->data;
    table.columns << QString();
    const bool named = map.columnLabels.size() == map.columns;
    for (int column = 0; column < map.columns; ++column) table.columns << (named ? map.columnLabels[column] : count(column));
    for (int row = 0; row < map.rows; ++row) {
        QStringList cells{map.rowLabels.value(row, count(row))};
        for (int column = 0; column < map.columns; ++column)
            cells << (map.isMasked(row, column) ? QString() : number(double(map.at(row, column)), 4));
        table.rows << cells;
    }
    return table;
}

void MapView::recolour() { area_->recolour(); }

void MapView::paintOn(QPaintDevice& device, QSize size) {
    QPainter painter(&device);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    area_->paintOn(painter, size);
}

}  // namespace heddle::ui
