// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/head_grid_area.h"

#include "ui/text/number.h"
#include "ui/theme/colour.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

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

HeadGridArea::HeadGridArea(HeadGrid* grid) : QAbstractScrollArea(grid), grid_(grid) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

QRect HeadGridArea::Layout::cell(HeadPlace place) const {
    const auto row = std::size_t(place.row);
    return {rowLefts[row] + labelWidth + place.head * (side + gap), rowTops[row], side, rowHeights[row]};
}

/// Puts the rows into bands side by side, each from its top down.
void HeadGridArea::arrange(Layout& layout, int width, int bands, int side) const {
    const auto& rows = grid_->data().rows;
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

/// The maps are as large as the room allows with all rows in it, in as many bands as that takes. Where they would then be too
/// small to be read, they fill the width, and the rows are scrolled.
HeadGridArea::Layout HeadGridArea::layoutFor(QSize size) const {
    const HeadGridData& shown = grid_->data();
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
    const auto mostBands = [&](int narrowest) {
        int most = 1;
        while (most < int(shown.rows.size()) && widest(most + 1) >= narrowest) ++most;
        return most;
    };
    const int smallest = px(28);  // that can be read
    int bands = 1, side = 0;
    for (int tried = 1; tried <= mostBands(smallest); ++tried) {
        int fits = 0, tooLarge = widest(tried) + 1;
        while (tooLarge - fits > 1) {
            const int middle = (fits + tooLarge) / 2;
            arrange(layout, size.width(), tried, middle);
            (layout.height <= size.height() ? fits : tooLarge) = middle;
        }
        if (fits > side) {
            bands = tried;
            side = fits;
        }
    }
    if (side < smallest) {
        bands = mostBands(px(40));
        side = widest(bands);
    }
    arrange(layout, size.width(), bands, side);
    return layout;
}

/// The scroll bar's place stays free, so that its coming and going moves nothing.
QSize HeadGridArea::room() const { return {width() - verticalScrollBar()->sizeHint().width(), viewport()->height()}; }

void HeadGridArea::rebuild() {
    const Layout layout = layoutFor(room());
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(px(24));
    verticalScrollBar()->setRange(0, std::max(0, layout.height - viewport()->height()));
    if (const auto current = grid_->current()) reveal(*current);
    viewport()->update();
}

QRect HeadGridArea::rectOf(HeadPlace place) const {
    return layoutFor(room()).cell(place).translated(0, -verticalScrollBar()->value());
}

void HeadGridArea::reveal(HeadPlace place) {
    const QRect rect = rectOf(place);
    if (rect.top() < px(20)) verticalScrollBar()->setValue(verticalScrollBar()->value() + rect.top() - px(24));
    if (rect.bottom() > viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + rect.bottom() + px(10) - viewport()->height());
}

std::optional<HeadPlace> HeadGridArea::placeAt(QPoint point) const {
    const Layout layout = layoutFor(room());
    const HeadGridData& shown = grid_->data();
    const QPoint at = point + QPoint(0, verticalScrollBar()->value());
    for (int row = 0; row < int(shown.rows.size()); ++row)
        for (int head = 0; head < int(shown.rows[std::size_t(row)].heads.size()); ++head)
            if (layout.cell({row, head}).contains(at)) return HeadPlace{row, head};
    return std::nullopt;
}

void HeadGridArea::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), Theme::color(Token::Base));
    paintOn(painter, room(), verticalScrollBar()->value());
}

void HeadGridArea::paintOn(QPainter& painter, QSize size, int scrolled) const {
    painter.fillRect(QRect({}, size), Theme::color(Token::Base));
    const HeadGridData& shown = grid_->data();
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

/// The numbers of the heads stay where they are while the rows are scrolled.
void HeadGridArea::paintHeader(QPainter& painter, const Layout& layout, int width) const {
    painter.fillRect(0, 0, width, layout.top - px(3), Theme::color(Token::Base));
    const auto current = grid_->current();
    for (const int left : layout.bandLefts)
        for (int head = 0; head < grid_->data().columns(); ++head) {
            const bool chosen = current && current->head == head && layout.rowLefts[std::size_t(current->row)] == left;
            painter.setFont(chosen ? strongFont(Type::Caption) : typeFont(Type::Caption));
            painter.setPen(Theme::color(chosen ? Token::Text : Token::Text2));
            const QRect above(left + layout.labelWidth + head * (layout.side + layout.gap), 0, layout.side, layout.top - px(3));
            painter.drawText(above, Qt::AlignCenter,
                             layout.side > px(44) ? HeadGrid::tr("head %1").arg(head) : QString::number(head));
        }
}

void HeadGridArea::paintHead(QPainter& painter, const Layout& layout, HeadPlace place, const QList<QRgb>& colours) const {
    const HeadCell& head = grid_->data().rows[std::size_t(place.row)].heads[std::size_t(place.head)];
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
    if (grid_->muted_.contains(grid_->keyOf(place))) {
        painter.fillRect(cell, withAlpha(Theme::color(Token::Base), 0.72));
        painter.setPen(Theme::color(Token::Bad));
        painter.drawLine(cell.bottomLeft(), cell.topRight());
        painter.setFont(typeFont(Type::Caption));
        const QString word = HeadGrid::tr("muted");
        const QRect box = QRect(0, 0, textWidth(word, painter.font()) + px(10), px(18));
        const QRect label = box.translated(cell.center() - box.center());
        painter.fillRect(label, Theme::color(Token::Base));
        painter.drawRect(label);
        painter.drawText(label, Qt::AlignCenter, word);
    }
    if (const auto cost = grid_->costOf(place); cost && layout.side >= px(36)) {
        painter.setFont(numberFont(Type::Caption));
        const QString words = signedNumber(*cost, 3);
        QRect label(0, 0, textWidth(words, painter.font()) + px(6), px(15));
        label.moveBottomRight(cell.bottomRight());
        painter.fillRect(label, Theme::color(Token::Base));
        painter.setPen(Theme::color(Token::Text));
        painter.drawText(label, Qt::AlignCenter, words);
    }
    if (grid_->current() == place) {
        painter.setPen(QPen(Theme::color(Token::Accent), px(2)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(-px(2), -px(2), px(1), px(1) + layout.barHeight + px(3)));
    }
}

void HeadGridArea::resizeEvent(QResizeEvent*) { rebuild(); }

void HeadGridArea::mouseMoveEvent(QMouseEvent* event) {
    const auto place = placeAt(event->position().toPoint());
    if (place == hovered_) return;
    hovered_ = place;
    Q_EMIT grid_->hovered(place);
}

void HeadGridArea::mousePressEvent(QMouseEvent* event) {
    grid_->setFocus(Qt::MouseFocusReason);
    if (const auto place = placeAt(event->position().toPoint())) grid_->setCurrent(*place);
}

bool HeadGridArea::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) {
        hovered_.reset();
        Q_EMIT grid_->hovered(std::nullopt);
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto place = placeAt(help->pos());
        if (place)
            QToolTip::showText(help->globalPos(), grid_->accessibleText(*place), viewport(), rectOf(*place));
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace heddle::ui
