// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/tag_chips.h"

#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include <QPainter>

namespace heddle::ui {

QList<TagChip> tagChips(const QStringList& tags, const QRect& area, ChipKind kind) {
    QList<TagChip> chips;
    const int height = px(18), cross = kind == ChipKind::Editable ? px(16) : 0;
    int left = area.left();
    for (const QString& tag : tags) {
        const int width = textWidth(tag, typeFont(Type::Caption)) + px(12) + cross;
        const QRect rect(left, area.top() + (area.height() - height) / 2, width, height);
        chips << TagChip{tag, rect, QRect(rect.right() - cross + 1, rect.top(), cross, height)};
        left += width + px(4);
    }
    return chips;
}

int tagChipsWidth(const QStringList& tags, ChipKind kind) {
    const auto chips = tagChips(tags, QRect(), kind);
    return chips.isEmpty() ? 0 : chips.last().rect.right() + 1 + px(4);
}

void paintTagChip(QPainter& painter, const TagChip& chip, const ChipColours& colours) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colours.edge);
    painter.setBrush(colours.fill);
    painter.drawRoundedRect(QRectF(chip.rect).adjusted(0.5, 0.5, -0.5, -0.5), px(2), px(2));
    painter.setFont(typeFont(Type::Caption));
    painter.setPen(colours.text);
    const QRect words = chip.rect.adjusted(px(6), 0, chip.cross.isEmpty() ? -px(6) : -chip.cross.width(), 0);
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft, chip.text);
    if (!chip.cross.isEmpty()) {
        const int side = px(10);
        painter.drawPixmap(chip.cross.center() - QPoint(side / 2, side / 2),
                           iconPixmap(Icon::Cross, colours.text, side, painter.device()->devicePixelRatioF()));
    }
    painter.restore();
}

}  // namespace heddle::ui
