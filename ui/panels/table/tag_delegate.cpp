// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/tag_delegate.h"

#include "ui/panels/table/tag_field.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace heddle::ui {
namespace {

QStringList tagsAt(const QModelIndex& index) { return index.data(Qt::EditRole).toStringList(); }

QRect inner(const QRect& cell) { return cell.adjusted(px(6), 0, -px(4), 0); }

}  // namespace

QRect TagDelegate::plusRect(const QRect& cell, const QStringList& tags) {
    const QRect area = inner(cell);
    const int side = px(20), left = area.left() + tagChipsWidth(tags, ChipKind::Shown);
    return {std::max(area.left(), std::min(left, area.right() - side)), area.top() + (area.height() - side) / 2, side, side};
}

QSize TagDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize base = QStyledItemDelegate::sizeHint(option, index);
    return {tagChipsWidth(tagsAt(index), ChipKind::Shown) + px(30), base.height()};
}

void TagDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);

    const bool selected = option.state & QStyle::State_Selected, over = option.state & QStyle::State_MouseOver;
    const QColor words = Theme::color(selected ? Token::Onsel : Token::Text2);
    const QStringList tags = tagsAt(index);
    const QRect area = inner(option.rect), plus = plusRect(option.rect, tags);
    const bool editable = index.flags() & Qt::ItemIsEditable;
    const bool offers = editable && (over || selected);
    painter->save();
    painter->setClipRect(offers ? area.adjusted(0, 0, plus.left() - area.right() - 1, 0) : area);
    for (const TagChip& chip : tagChips(tags, area, ChipKind::Shown))
        paintTagChip(*painter, chip, {Qt::transparent, Theme::color(selected ? Token::Onsel : Token::Border), words});
    painter->restore();
    if (!offers) return;
    const int side = px(12);
    painter->drawPixmap(plus.center() - QPoint(side / 2, side / 2),
                        iconPixmap(Icon::Plus, words, side, painter->device()->devicePixelRatioF()));
}

bool TagDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                              const QModelIndex& index) {
    if (event->type() == QEvent::MouseButtonRelease && index.flags() & Qt::ItemIsEditable) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && plusRect(option.rect, tagsAt(index)).contains(mouse->pos()))
            Q_EMIT editRequested();
    }
    return QStyledItemDelegate::editorEvent(event, model, option, index);
}

QWidget* TagDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const {
    return new TagField(parent);
}

void TagDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    if (auto* field = qobject_cast<TagField*>(editor)) field->setTags(tagsAt(index));
}

void TagDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const {
    if (const auto* field = qobject_cast<TagField*>(editor)) model->setData(index, field->tags(), Qt::EditRole);
}

/// Wide enough to type in, whatever the column.
void TagDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QRect place = option.rect;
    const int wanted = std::max(px(220), tagChipsWidth(tagsAt(index), ChipKind::Editable) + px(120));
    if (place.width() < wanted) place.setRight(place.left() + wanted - 1);
    const QRect room = editor->parentWidget()->rect();
    if (place.right() > room.right()) place.moveRight(room.right());
    place.setLeft(std::max(place.left(), room.left()));
    editor->setGeometry(place);
}

}  // namespace heddle::ui
