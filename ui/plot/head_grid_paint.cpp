// SPDX-License-Identifier: GPL-3.0-or-later
// The painting half of HeadGrid.
#include "ui/plot/head_grid.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

/// Height of a row's maps as a share of their width.
double shareOf(const HeadRow& row) {
    const QSize cells = row.heads.empty() ? QSize(1, 1) : row.heads.front().picture.size();
    return std::clamp(double(cells.height()) / std::max(1, cells.width()), 0.25, 1.5);
}

}  // namespace

QRect HeadGrid::Layout::cell(HeadPlace place) const {
    const auto row = std::size_t(place.row);
    return {rowLefts[row] + labelWidth + place.head * (width + gap), rowTops[row], width, rowHeights[row]};
}

/// Distributes the rows over bands, which are side by side and filled from the top.
void HeadGrid::arrange(Layout& layout, int width, int bands, int side) const {
    const auto& rows = data_->rows;
    const std::size_t inBand = (rows.size() + std::size_t(bands) - 1) / std::size_t(bands);
    layout.bandLefts.clear();
    layout.rowLefts.clear();
    layout.rowTops.clear();
    layout.rowHeights.clear();
    layout.side = side;
    layout.height = 0;
    int y = layout.top;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (row % inBand == 0) {
            layout.bandLefts.push_back(int(row / inBand) * (width / bands));
            y = layout.top;
        }
        layout.rowLefts.push_back(layout.bandLefts.back());
        layout.rowTops.push_back(y);
        layout.rowHeights.push_back(std::max(px(20), int(side * shareOf(rows[row]))));
        y += layout.rowHeights.back() + layout.barHeight + px(10);
        layout.height = std::max(layout.height, y);
    }
}

/// Uses the number of bands with which all rows fit and the maps are largest. If the maps would be too small to be read, they
/// fill the width instead, and the rows are scrolled.
HeadGrid::Layout HeadGrid::layoutFor(QSize size) const {
    const HeadGridData& shown = *data_;
    Layout layout;
    layout.gap = px(5);
    layout.barHeight = px(3);
    layout.top = px(20);
    for (const HeadRow& row : shown.rows)
        layout.labelWidth = std::max({layout.labelWidth, textWidth(row.label, strongFont(Type::Caption)),
                                      textWidth(row.size, numberFont(Type::Caption))});
    layout.labelWidth += px(14);
    const int columns = std::max(1, shown.columns());
    const auto widest = [&](int bands) {
        return std::max(px(20), (size.width() / bands - layout.labelWidth - px(6)) / columns - layout.gap);
    };
    // At most twice as wide as high, as the map of one head (map_paint.cpp).
    const auto widthOf = [&](int bands, int side) { return std::max(side, std::min(widest(bands), 2 * side)); };
    const auto mostBands = [&](int narrowest) {
        int most = 1;
        while (most < int(shown.rows.size()) && widest(most + 1) >= narrowest) ++most;
        return most;
    };
    const int smallest = px(28);  // readable size
    int bands = 1, side = 0;
    for (int tried = 1; tried <= mostBands(smallest); ++tried) {
        int fits = 0, tooLarge = widest(tried) + 1;
        while (tooLarge - fits > 1) {
            const int middle = (fits + tooLarge) / 2;
            arrange(layout, size.width(), tried, middle);
            (layout.height <= size.height() ? fits : tooLarge) = middle;
        }
        const int width = widthOf(tried, fits);
        if (fits * width > side * widthOf(bands, side)) {
            bands = tried;
            side = fits;
        }
    }
    if (side < smallest) {
        bands = mostBands(px(40));
        side = widest(bands);
    }
    arrange(layout, size.width(), bands, side);
    layout.width = widthOf(bands, side);
    return layout;
}

/// The width of the scroll bar is always reserved, so that the maps do not move when it appears.
QSize HeadGrid::room() const {
    return {canvas().width() - canvas().verticalScrollBar()->sizeHint().width(), canvas().viewport()->height()};
}

int HeadGrid::scrolled() const { return canvas().verticalScrollBar()->value(); }

void HeadGrid::rebuild() {
    QScrollBar& bar = *canvas().verticalScrollBar();
    const int height = room().height();
    bar.setPageStep(height);
    bar.setSingleStep(px(24));
    bar.setRange(0, std::max(0, layoutFor(room()).height - height));
    if (current()) reveal(current_);
    redraw();
}

QRect HeadGrid::rectOf(HeadPlace place) const { return layoutFor(room()).cell(place).translated(0, -scrolled()); }

void HeadGrid::reveal(HeadPlace place) {
    QScrollBar& bar = *canvas().verticalScrollBar();
    const QRect rect = rectOf(place);
    const int height = room().height();
    if (rect.top() < px(20)) bar.setValue(bar.value() + rect.top() - px(24));
    if (rect.bottom() > height) bar.setValue(bar.value() + rect.bottom() + px(10) - height);
}

std::optional<HeadPlace> HeadGrid::placeAt(QPoint point) const {
    const Layout layout = layoutFor(room());
    const HeadGridData& shown = *data_;
    const QPoint at = point + QPoint(0, scrolled());
    for (int row = 0; row < int(shown.rows.size()); ++row)
        for (int head = 0; head < int(shown.rows[std::size_t(row)].heads.size()); ++head)
            if (layout.cell({row, head}).contains(at)) return HeadPlace{row, head};
    return std::nullopt;
}

void HeadGrid::paintScreen(QWidget& viewport) {
    QPainter painter(&viewport);
    painter.fillRect(viewport.rect(), Theme::color(Token::Base));
    paint(painter, room(), scrolled());
}

void HeadGrid::paint(QPainter& painter, QSize size, int scrolled) const {
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    const HeadGridData& shown = *data_;
    if (shown.rows.empty()) return;
    const Layout layout = layoutFor(size);
    painter.translate(0, -scrolled);
    const QList<QRgb> colours = shown.scale.colours();
    for (int row = 0; row < int(shown.rows.size()); ++row) {
        const HeadRow& one = shown.rows[std::size_t(row)];
        const QRect beside(layout.rowLefts[std::size_t(row)] + px(8), layout.rowTops[std::size_t(row)],
                           layout.labelWidth - px(10), px(16));
        painter.setFont(strongFont(Type::Caption));
        painter.setPen(Theme::color(Token::Text));
        painter.drawText(beside, Qt::AlignLeft | Qt::AlignVCenter, one.label);
        painter.setFont(numberFont(Type::Caption));
        painter.setPen(Theme::color(Token::Text2));
        painter.drawText(beside.translated(0, px(14)), Qt::AlignLeft | Qt::AlignVCenter, one.size);
        for (int head = 0; head < int(one.heads.size()); ++head) paintHead(painter, layout, {row, head}, colours);
    }
    painter.translate(0, scrolled);
    paintHeader(painter, layout, size.width());
}

/// The numbers of the heads are not scrolled.
void HeadGrid::paintHeader(QPainter& painter, const Layout& layout, int width) const {
    painter.fillRect(0, 0, width, layout.top - px(3), Theme::color(Token::Base));
    for (const int left : layout.bandLefts)
        for (int head = 0; head < data_->columns(); ++head) {
            const bool chosen = current_.head == head && layout.rowLefts[std::size_t(current_.row)] == left;
            painter.setFont(chosen ? strongFont(Type::Caption) : typeFont(Type::Caption));
            painter.setPen(Theme::color(chosen ? Token::Text : Token::Text2));
            const QRect above(left + layout.labelWidth + head * (layout.width + layout.gap), 0, layout.width,
                              layout.top - px(3));
            painter.drawText(above, Qt::AlignCenter, layout.width > px(44) ? tr("head %1").arg(head) : QString::number(head));
        }
}

void HeadGrid::paintHead(QPainter& painter, const Layout& layout, HeadPlace place, const QList<QRgb>& colours) const {
    const HeadCell& head = data_->rows[std::size_t(place.row)].heads[std::size_t(place.head)];
    const QRect cell = layout.cell(place);
    QImage picture = head.picture;
    picture.setColorTable(colours);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(cell, picture);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(Theme::color(Token::Line));
    painter.drawRect(cell.adjusted(-1, -1, 0, 0));
    if (std::isfinite(head.entropy) && head.mostEntropy > 0) {
        QRect bar(cell.left(), cell.bottom() + px(3), cell.width(), layout.barHeight);
        painter.fillRect(bar, Theme::color(Token::Line));
        bar.setWidth(int(std::lround(bar.width() * std::clamp(head.entropy / head.mostEntropy, 0.0, 1.0))));
        painter.fillRect(bar, Theme::color(Token::Text2));
    }
    if (muted_.contains(keyOf(place))) {
        painter.fillRect(cell, withAlpha(Theme::color(Token::Base), 0.72));
        painter.setPen(Theme::color(Token::Bad));
        painter.drawLine(cell.bottomLeft(), cell.topRight());
        painter.setFont(typeFont(Type::Caption));
        const QString word = tr("muted");
        const QRect box = QRect(0, 0, textWidth(word, painter.font()) + px(10), px(18));
        const QRect label = box.translated(cell.center() - box.center());
        painter.fillRect(label, Theme::color(Token::Base));
        painter.drawRect(label);
        painter.drawText(label, Qt::AlignCenter, word);
    }
    if (const auto cost = costOf(place); cost && layout.width >= px(36)) {
        painter.setFont(numberFont(Type::Caption));
        const QString words = signedNumber(*cost, 3);
        QRect label(0, 0, textWidth(words, painter.font()) + px(6), px(15));
        label.moveBottomRight(cell.bottomRight());
        painter.fillRect(label, Theme::color(Token::Base));
        painter.setPen(Theme::color(Token::Text));
        painter.drawText(label, Qt::AlignCenter, words);
    }
    if (current() == place) {
        painter.setPen(QPen(Theme::color(Token::Accent), px(2)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(-px(2), -px(2), px(1), px(1) + layout.barHeight + px(3)));
    }
}

}  // namespace heddle::ui
