// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/mark_delegate.h"

#include "ui/shell/icons.h"
#include "ui/shell/states.h"
#include "ui/shell/theme.h"
#include "ui/shell/type.h"

namespace heddle::ui {

void MarkDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const QVariant mark = index.data(kMarkRole);
    if (!mark.isValid()) return;
    const MarkLook shown = look(Mark(mark.toInt()));
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->icon = themeIcon(shown.icon, shown.color);
    option->decorationSize = QSize(px(14), px(14));
    for (const auto role : {QPalette::Text, QPalette::HighlightedText})
        option->palette.setColor(role, Theme::color(shown.color));
}

}  // namespace heddle::ui
