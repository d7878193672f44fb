// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/mark_delegate.h"

#include "ui/text/states.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

namespace heddle::ui {

void MarkDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const QVariant mark = index.data(kMarkRole);
    if (!mark.isValid()) return;
    const MarkLook shown = lookOf(Mark(mark.toInt()));
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->icon = themeIcon(shown.icon, shown.color);
    option->decorationSize = QSize(px(14), px(14));
    for (const auto role : {QPalette::Text, QPalette::HighlightedText})
        option->palette.setColor(role, Theme::color(shown.color));
}

}  // namespace heddle::ui
