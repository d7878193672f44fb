// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/map_area.h"

#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heddle::ui {
namespace {

constexpr double kSlant = 50 * std::numbers::pi / 180;

int widest(const QStringList& words, const QFont& font) {
    int width = 0;
    for (const QString& word : words) width = std::max(width, textWidth(word, font));
    return width;
}

}  // namespace

MapArea::MapArea(MapView* view) : QAbstractScrollArea(view), view_(view) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // averaged, not scrolled
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        measureLabels();
        recolour();
        viewport()->update();
    });
}

void MapArea::setData(MapData next) {
    const bool labelsChange = next.rowLabels != data.rowLabels || next.columnLabels != data.columnLabels ||
                              next.rowValues != data.rowValues || next.columns != data.columns;
    data = std::move(next);
    if (labelsChange) measureLabels();
    rebuild();
}

void MapArea::measureLabels() {
    widths_ = {widest(data.rowLabels, strongFont(Type::Caption)),
               hasTokenColumns() ? widest(data.columnLabels, strongFont(Type::Caption)) : 0,
               widest(data.rowValues, numberFont(Type::Caption))};
}

int MapArea::columnLabelHeight() const {
    if (!hasTokenColumns()) return 0;
    return std::min(px(84), int(widths_.columns * std::sin(kSlant)) + px(14));
}

QRect MapArea::Layout::cell(int column, int row) const {
    const auto x = [this](int place) { return cells.left() + place * cells.width() / counts.width(); };
    const auto y = [this](int place) { return cells.top() + place * cells.height() / counts.height(); };
    return {QPoint(x(column), y(row)), QPoint(x(column + 1) - 1, y(row + 1) - 1)};
}

/// The cells fill the room; those of a square map are at most twice as wide as high, or the other way round. Words take at most
/// half of the width.
MapArea::Layout MapArea::layoutFor(QSize size, QSize counts) const {
    Layout layout;
    layout.counts = counts;
    const int margin = px(8);
    layout.valueWidth = data.rowValues.isEmpty() || widths_.values > size.width() / 5 ? 0 : widths_.values + px(6);
    const int most = size.width() / (shape == MapShape::Square ? 3 : 2) - layout.valueWidth - margin;
    layout.labelWidth = data.rowLabels.isEmpty() ? 0 : std::min(most, widths_.rows + px(6));
    const int top = margin + columnLabelHeight();
    const int bottom = !hasTokenColumns() && !data.columnLabels.isEmpty() ? px(data.columnTitle.isEmpty() ? 20 : 34) : margin;
    // The last slanted label leans over the right edge.
    const int right = std::max(layout.valueWidth, hasTokenColumns() ? px(16) : 0) + margin;
    const QSize room(size.width() - margin - layout.labelWidth - right, size.height() - top - bottom);
    double width = double(room.width()) / std::max(1, counts.width()),
           height = double(room.height()) / std::max(1, counts.height());
    if (shape == MapShape::Square) {
        width = std::min(width, 2 * height);
        height = std::min(height, 2 * width);
    }
    layout.cells = QRect(margin + layout.labelWidth, top, std::max(counts.width(), int(width * counts.width())),
                         std::max(counts.height(), int(height * counts.height())));
    return layout;
}

void MapArea::rebuild() {
    const QSize room = layoutFor(viewport()->size(), {1, 1}).cells.size();
    const QSize whole = shape == MapShape::Square
                            ? QSize(viewport()->width() - layoutFor(viewport()->size(), {1, 1}).labelWidth - px(32),
                                    viewport()->height() - columnLabelHeight() - px(16))
                            : QSize(room.width(), viewport()->height());
    const auto blockFor = [](int count, int pixels, int least) {
        return count * least <= pixels ? 1 : int(std::ceil(double(count) * least / std::max(1, pixels)));
    };
    QSize wanted(blockFor(data.columns, whole.width(), shape == MapShape::Square ? 2 : 1),
                 blockFor(data.rows, whole.height(), 2));
    if (shape == MapShape::Square) wanted = QSize(1, 1) * std::max(wanted.width(), wanted.height());
    const bool captionChanges = wanted != block;
    block = wanted;
    shown = block == QSize(1, 1) ? data : averaged(data, block);
    image = codedPicture(shown, scale);
    hasBroken_ = false;
    for (int row = 0; row < shown.rows; ++row)
        for (int column = 0; column < shown.columns; ++column) hasBroken_ = hasBroken_ || shown.isBroken(row, column);
    recolour();
    viewport()->update();
    if (captionChanges) Q_EMIT view_->captionChanged();
}

void MapArea::recolour() { image.setColorTable(scale.colours()); }

void MapArea::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    paintOn(painter, viewport()->size());
}

void MapArea::paintOn(QPainter& painter, QSize size) {
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    if (shown.rows == 0 || shown.columns == 0) return;
    const Layout layout = layoutFor(size, {shown.columns, shown.rows});
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(layout.cells, image);
    paintBroken(painter, layout);
    painter.setPen(Theme::color(Token::Plotaxis));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(layout.cells.adjusted(-1, -1, 0, 0));
    paintRowLabels(painter, layout);
    paintColumnLabels(painter, layout);
    paintCurrent(painter, layout);
}

void MapArea::paintBroken(QPainter& painter, const Layout& layout) const {
    if (!hasBroken_) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(Theme::color(Token::Bad), Qt::BDiagPattern));
    for (int row = 0; row < shown.rows; ++row)
        for (int column = 0; column < shown.columns; ++column)
            if (shown.isBroken(row, column)) painter.drawRect(layout.cell(column, row));
}

void MapArea::paintRowLabels(QPainter& painter, const Layout& layout) const {
    // Labels that would overlap are left out evenly; the current one always stands.
    const int every = std::max(1, int(std::ceil(double(px(13)) / std::max(1, layout.cell(0, 0).height())))) * block.height();
    for (int row = 0; row < data.rows; ++row) {
        const bool bold = current && current->y() == row;
        if (row % every != 0 && !bold) continue;
        const int shownRow = row / block.height();
        const int middle = layout.cell(0, shownRow).center().y();
        const QRect line(px(4), middle - px(10), layout.cells.left() - px(10), px(20));
        if (row < data.rowLabels.size()) {
            painter.setFont(bold ? strongFont(Type::Caption) : typeFont(Type::Caption));
            painter.setPen(Theme::color(bold ? Token::Text : Token::Text2));
            painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(data.rowLabels[row], Qt::ElideMiddle, line.width()));
        }
        if (row < data.rowValues.size() && layout.valueWidth > 0) {
            painter.setFont(numberFont(Type::Caption));
            painter.setPen(Theme::color(Token::Text2));
            painter.drawText(QRect(layout.cells.right() + px(6), line.top(), layout.valueWidth, line.height()),
                             Qt::AlignLeft | Qt::AlignVCenter, data.rowValues[row]);
        }
    }
}

void MapArea::paintColumnLabels(QPainter& painter, const Layout& layout) const {
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    if (!hasTokenColumns()) {
        QRect line(layout.cells.left(), layout.cells.bottom() + px(4), layout.cells.width(), px(16));
        // Words that are wider than the map extend to the left, below the row labels.
        const QFont caption = painter.font();
        const int ends = data.columnLabels.size() < 2 ? 0
                                                      : textWidth(data.columnLabels.first(), caption) +
                                                            textWidth(data.columnLabels.last(), caption) + px(8);
        if (const int least = std::max(ends, textWidth(data.columnTitle, caption)); line.width() < least)
            line.setLeft(line.right() + 1 - least);
        if (!data.columnLabels.isEmpty()) painter.drawText(line, Qt::AlignLeft | Qt::AlignTop, data.columnLabels.first());
        if (data.columnLabels.size() >= 2) painter.drawText(line, Qt::AlignRight | Qt::AlignTop, data.columnLabels.last());
        painter.drawText(line.translated(0, px(14)), Qt::AlignHCenter | Qt::AlignTop, data.columnTitle);
        return;
    }
    const int every = std::max(1, int(std::ceil(double(px(13)) / std::max(1, layout.cell(0, 0).width())))) * block.width();
    for (int column = 0; column < data.columns; ++column) {
        const bool bold = current && current->x() == column;
        if (column % every != 0 && !bold) continue;
        painter.setFont(bold ? strongFont(Type::Caption) : typeFont(Type::Caption));
        painter.setPen(Theme::color(bold ? Token::Text : Token::Text2));
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const int shownColumn = column / block.width();
        painter.translate(layout.cell(shownColumn, 0).center().x() + px(1), layout.cells.top() - px(5));
        painter.rotate(-kSlant * 180 / std::numbers::pi);
        const int room = int((columnLabelHeight() - px(8)) / std::sin(kSlant));
        painter.drawText(QPointF(0, 0), painter.fontMetrics().elidedText(data.columnLabels[column], Qt::ElideRight, room));
        painter.restore();
    }
}

void MapArea::paintCurrent(QPainter& painter, const Layout& layout) const {
    if (!current || current->y() < 0 || current->y() >= data.rows) return;
    const int row = current->y() / block.height();
    painter.setPen(QPen(Theme::color(Token::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(layout.cell(0, row).united(layout.cell(shown.columns - 1, row)).adjusted(0, 0, -1, 0));
}

std::optional<QPoint> MapArea::cellAt(QPoint place) const {
    const Layout layout = layoutFor(viewport()->size(), {shown.columns, shown.rows});
    if (!layout.cells.contains(place)) return std::nullopt;
    const QPoint inside = place - layout.cells.topLeft();
    // As the picture is drawn: a pixel is of the cell that its middle is in.
    const auto indexAt = [](int at, int cells, int length) { return (2 * at + 1) * cells / (2 * length); };
    return QPoint(std::min(data.columns - 1, indexAt(inside.x(), shown.columns, layout.cells.width()) * block.width()),
                  std::min(data.rows - 1, indexAt(inside.y(), shown.rows, layout.cells.height()) * block.height()));
}

void MapArea::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    rebuild();
}

void MapArea::mouseMoveEvent(QMouseEvent* event) {
    const auto cell = cellAt(event->pos());
    if (cell)
        QToolTip::showText(event->globalPosition().toPoint(), view_->accessibleText(*cell), viewport());
    else
        QToolTip::hideText();
    Q_EMIT view_->hovered(cell);
}

void MapArea::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) view_->setCurrent(cellAt(event->pos()));
}

void MapArea::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() != QEvent::FontChange) return;
    measureLabels();
    rebuild();
}

bool MapArea::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) Q_EMIT view_->hovered(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace heddle::ui
