// SPDX-License-Identifier: GPL-3.0-or-later
// The painting half of MapView.
#include "ui/plot/map_view.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QPainter>

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

QSize MapView::room() const { return canvas().viewport()->size(); }

void MapView::measureLabels() {
    widths_ = {widest(data_.rowLabels, strongFont(Type::Caption)),
               hasTokenColumns() ? widest(data_.columnLabels, strongFont(Type::Caption)) : 0,
               widest(data_.rowValues, numberFont(Type::Caption))};
}

int MapView::columnLabelHeight() const {
    if (!hasTokenColumns()) return 0;
    return std::min(px(84), int(widths_.columns * std::sin(kSlant)) + px(14));
}

QRect MapView::Layout::cell(int column, int row) const {
    const auto x = [this](int place) { return cells.left() + place * cells.width() / counts.width(); };
    const auto y = [this](int place) { return cells.top() + place * cells.height() / counts.height(); };
    return {QPoint(x(column), y(row)), QPoint(x(column + 1) - 1, y(row + 1) - 1)};
}

/// The cells fill the picture. Those of a square map are at most twice as wide as high and twice as high as wide. Labels take
/// at most half of the width.
MapView::Layout MapView::layoutFor(QSize size, QSize counts) const {
    Layout layout;
    layout.counts = counts;
    const int margin = px(8);
    layout.valueWidth = data_.rowValues.isEmpty() || widths_.values > size.width() / 5 ? 0 : widths_.values + px(6);
    const int most = size.width() / (shape_ == MapShape::Square ? 3 : 2) - layout.valueWidth - margin;
    layout.labelWidth = data_.rowLabels.isEmpty() ? 0 : std::min(most, widths_.rows + px(6));
    const int top = margin + columnLabelHeight();
    const int bottom = !hasTokenColumns() && !data_.columnLabels.isEmpty() ? px(data_.columnTitle.isEmpty() ? 20 : 34) : margin;
    // The last slanted label extends beyond the right edge of the cells.
    const int right = std::max(layout.valueWidth, hasTokenColumns() ? px(16) : 0) + margin;
    const QSize room(size.width() - margin - layout.labelWidth - right, size.height() - top - bottom);
    double width = double(room.width()) / std::max(1, counts.width()),
           height = double(room.height()) / std::max(1, counts.height());
    if (shape_ == MapShape::Square) {
        width = std::min(width, 2 * height);
        height = std::min(height, 2 * width);
    }
    layout.cells = QRect(margin + layout.labelWidth, top, std::max(counts.width(), int(width * counts.width())),
                         std::max(counts.height(), int(height * counts.height())));
    return layout;
}

void MapView::rebuild() {
    const Layout one = layoutFor(room(), {1, 1});
    const QSize whole = shape_ == MapShape::Square
                            ? QSize(room().width() - one.labelWidth - px(32), room().height() - columnLabelHeight() - px(16))
                            : QSize(one.cells.width(), room().height());
    const auto blockFor = [](int count, int pixels, int least) {
        return count * least <= pixels ? 1 : int(std::ceil(double(count) * least / std::max(1, pixels)));
    };
    QSize wanted(blockFor(data_.columns, whole.width(), shape_ == MapShape::Square ? 2 : 1),
                 blockFor(data_.rows, whole.height(), 2));
    if (shape_ == MapShape::Square) wanted = QSize(1, 1) * std::max(wanted.width(), wanted.height());
    const bool captionChanges = wanted != block_;
    block_ = wanted;
    shown_ = block_ == QSize(1, 1) ? data_ : averaged(data_, block_);
    image_ = codedPicture(shown_, scale_);
    hasBroken_ = false;
    for (int row = 0; row < shown_.rows; ++row)
        for (int column = 0; column < shown_.columns; ++column) hasBroken_ = hasBroken_ || shown_.isBroken(row, column);
    recolour();
    redraw();
    if (captionChanges) Q_EMIT captionChanged();
}

void MapView::recolour() { image_.setColorTable(scale_.colours()); }

void MapView::paintOn(QPaintDevice& device, QSize size) {
    QPainter painter(&device);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    if (shown_.rows == 0 || shown_.columns == 0) return;
    const Layout layout = layoutFor(size, counts());
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(layout.cells, image_);
    paintBroken(painter, layout);
    painter.setPen(Theme::color(Token::Plotaxis));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(layout.cells.adjusted(-1, -1, 0, 0));
    paintRowLabels(painter, layout);
    paintColumnLabels(painter, layout);
    paintCurrent(painter, layout);
}

void MapView::paintBroken(QPainter& painter, const Layout& layout) const {
    if (!hasBroken_) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(Theme::color(Token::Bad), Qt::BDiagPattern));
    for (int row = 0; row < shown_.rows; ++row)
        for (int column = 0; column < shown_.columns; ++column)
            if (shown_.isBroken(row, column)) painter.drawRect(layout.cell(column, row));
}

void MapView::paintRowLabels(QPainter& painter, const Layout& layout) const {
    // Labels that would overlap are left out evenly; the current one is always drawn.
    const int every = std::max(1, int(std::ceil(double(px(13)) / std::max(1, layout.cell(0, 0).height())))) * block_.height();
    for (int row = 0; row < data_.rows; ++row) {
        const bool bold = current_ && current_->y() == row;
        if (row % every != 0 && !bold) continue;
        const int shownRow = row / block_.height();
        const int middle = layout.cell(0, shownRow).center().y();
        const QRect line(px(4), middle - px(10), layout.cells.left() - px(10), px(20));
        if (row < data_.rowLabels.size()) {
            painter.setFont(bold ? strongFont(Type::Caption) : typeFont(Type::Caption));
            painter.setPen(Theme::color(bold ? Token::Text : Token::Text2));
            painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(data_.rowLabels[row], Qt::ElideMiddle, line.width()));
        }
        if (row < data_.rowValues.size() && layout.valueWidth > 0) {
            painter.setFont(numberFont(Type::Caption));
            painter.setPen(Theme::color(Token::Text2));
            painter.drawText(QRect(layout.cells.right() + px(6), line.top(), layout.valueWidth, line.height()),
                             Qt::AlignLeft | Qt::AlignVCenter, data_.rowValues[row]);
        }
    }
}

void MapView::paintColumnLabels(QPainter& painter, const Layout& layout) const {
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(Theme::color(Token::Text2));
    if (!hasTokenColumns()) {
        QRect line(layout.cells.left(), layout.cells.bottom() + px(4), layout.cells.width(), px(16));
        // A label that is wider than the map extends to the left, below the row labels.
        const QFont caption = painter.font();
        const int ends = data_.columnLabels.size() < 2 ? 0
                                                       : textWidth(data_.columnLabels.first(), caption) +
                                                             textWidth(data_.columnLabels.last(), caption) + px(8);
        if (const int least = std::max(ends, textWidth(data_.columnTitle, caption)); line.width() < least)
            line.setLeft(line.right() + 1 - least);
        if (!data_.columnLabels.isEmpty()) painter.drawText(line, Qt::AlignLeft | Qt::AlignTop, data_.columnLabels.first());
        if (data_.columnLabels.size() >= 2) painter.drawText(line, Qt::AlignRight | Qt::AlignTop, data_.columnLabels.last());
        painter.drawText(line.translated(0, px(14)), Qt::AlignHCenter | Qt::AlignTop, data_.columnTitle);
        return;
    }
    const int every = std::max(1, int(std::ceil(double(px(13)) / std::max(1, layout.cell(0, 0).width())))) * block_.width();
    for (int column = 0; column < data_.columns; ++column) {
        const bool bold = current_ && current_->x() == column;
        if (column % every != 0 && !bold) continue;
        painter.setFont(bold ? strongFont(Type::Caption) : typeFont(Type::Caption));
        painter.setPen(Theme::color(bold ? Token::Text : Token::Text2));
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const int shownColumn = column / block_.width();
        painter.translate(layout.cell(shownColumn, 0).center().x() + px(1), layout.cells.top() - px(5));
        painter.rotate(-kSlant * 180 / std::numbers::pi);
        const int room = int((columnLabelHeight() - px(8)) / std::sin(kSlant));
        painter.drawText(QPointF(0, 0), painter.fontMetrics().elidedText(data_.columnLabels[column], Qt::ElideRight, room));
        painter.restore();
    }
}

void MapView::paintCurrent(QPainter& painter, const Layout& layout) const {
    if (!current_ || current_->y() < 0 || current_->y() >= data_.rows) return;
    const int row = current_->y() / block_.height();
    painter.setPen(QPen(Theme::color(Token::Accent), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(layout.cell(0, row).united(layout.cell(shown_.columns - 1, row)).adjusted(0, 0, -1, 0));
}

std::optional<QPoint> MapView::cellAt(QPoint place) const {
    const Layout layout = layoutFor(room(), counts());
    if (!layout.cells.contains(place)) return std::nullopt;
    const QPoint inside = place - layout.cells.topLeft();
    // As in the drawn picture, a pixel belongs to the cell that contains its middle.
    const auto indexAt = [](int at, int cells, int length) { return (2 * at + 1) * cells / (2 * length); };
    return QPoint(std::min(data_.columns - 1, indexAt(inside.x(), shown_.columns, layout.cells.width()) * block_.width()),
                  std::min(data_.rows - 1, indexAt(inside.y(), shown_.rows, layout.cells.height()) * block_.height()));
}

}  // namespace heddle::ui
