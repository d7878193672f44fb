// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/interval_delegate.h"

#include "ui/panels/table/compared_cells.h"
#include "ui/panels/table/run_table_model.h"
#include "ui/plot/axis_ticks.h"
#include "ui/plot/marker.h"
#include "ui/text/number.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

/// Where values lie in a cell, as pixels from its left edge.
struct Scale {
    QRectF cell;
    double reach;

    double x(double value) const {
        const double half = cell.width() / 2 - px(4);
        return cell.center().x() + half * std::clamp(value / reach, -1.0, 1.0);
    }
    bool shows(double value) const { return std::abs(value) <= reach; }
};

/// An arrow stands where the interval goes on beyond the cell.
void paintEnd(QPainter& painter, const Scale& scale, double value, double middle) {
    const double x = scale.x(value);
    if (scale.shows(value)) return painter.drawLine(QPointF(x, middle - px(4)), QPointF(x, middle + px(4)));
    const double inward = value < 0 ? px(4) : -px(4);
    painter.drawLine(QPointF(x, middle), QPointF(x + inward, middle - px(3)));
    painter.drawLine(QPointF(x, middle), QPointF(x + inward, middle + px(3)));
}

void paintGlyph(QPainter& painter, const IntervalGlyph& glyph, const QRect& cell) {
    const Scale scale{QRectF(cell), glyph.reach};
    const double middle = scale.cell.center().y();
    if (glyph.noise) {
        QColor floor = Theme::color(Token::Text2);
        floor.setAlphaF(glyph.isGroup ? 0.20F : 0.10F);
        painter.fillRect(QRectF(QPointF(scale.x(-*glyph.noise), cell.top()), QPointF(scale.x(*glyph.noise), cell.bottom() + 1)),
                         floor);
    }
    painter.fillRect(QRectF(scale.x(0), cell.top(), 1, cell.height()), Theme::color(Token::Cross));
    if (!glyph.difference) return;
    const RunStyle style = Theme::runAt(std::max(glyph.order, 0));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(style.color, px(1.5)));
    if (glyph.isGroup && glyph.interval) {
        painter.drawLine(QPointF(scale.x(glyph.interval->low), middle), QPointF(scale.x(glyph.interval->high), middle));
        for (const double end : {glyph.interval->low, glyph.interval->high}) paintEnd(painter, scale, end, middle);
    }
    if (glyph.isGroup) return paintMarker(painter, QPointF(scale.x(*glyph.difference), middle), style, px(8));
    painter.fillRect(QRectF(scale.x(*glyph.difference) - 1, middle - px(4), px(2), px(8)), style.color);
}

}  // namespace

void IntervalDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QVariant glyph = index.data(RunTableModel::GlyphRole);
    if (!glyph.isValid()) return MarkDelegate::paint(painter, option, index);
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
    painter->save();
    painter->setClipRect(option.rect);
    paintGlyph(*painter, glyph.value<IntervalGlyph>(), option.rect);
    painter->restore();
}

QSize IntervalDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize usual = MarkDelegate::sizeHint(option, index);
    return index.data(RunTableModel::GlyphRole).isValid() ? QSize(px(150), usual.height()) : usual;
}

void IntervalHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    painter->save();
    QHeaderView::paintSection(painter, rect, section);
    painter->restore();
    const QVariant told = model() ? model()->headerData(section, orientation(), RunTableModel::GlyphRole) : QVariant();
    if (!told.isValid()) return;
    const IntervalGlyph glyph = told.value<IntervalGlyph>();
    const Scale scale{QRectF(rect), glyph.reach};
    const AxisTicks ticks = ticksOf({-glyph.reach, glyph.reach}, 3);
    painter->save();
    painter->setFont(numberFont(Type::Caption));
    painter->setPen(Theme::color(Token::Text2));
    for (const double value : ticks.at) {
        const QString words = value == 0 ? number(0, 0) : signedNumber(value, ticks.decimals);
        const int width = textWidth(words, numberFont(Type::Caption));
        painter->drawText(QRectF(scale.x(value) - width / 2.0, rect.top(), width, rect.height()), Qt::AlignCenter, words);
    }
    painter->restore();
}

}  // namespace heddle::ui
