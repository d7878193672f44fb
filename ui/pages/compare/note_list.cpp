// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/note_list.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QGridLayout>
#include <QVBoxLayout>

#include <utility>

namespace heddle::ui {

QLabel* makeText(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

QLabel* makeHeading(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setFont(strongFont(Type::Body));
    label->setContentsMargins(0, px(8), 0, px(2));
    return label;
}

NoteList::NoteList(const QString& title, QWidget* parent) : QWidget(parent) {
    setAccessibleName(title);
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(makeHeading(title, this));
    rows_ = new QGridLayout;
    rows_->setHorizontalSpacing(px(6));
    rows_->setVerticalSpacing(px(4));
    rows_->setColumnStretch(1, 1);
    column->addLayout(rows_);
    hide();
    const auto recolour = [this] { setNotes(std::exchange(notes_, {})); };
    connect(&Theme::instance(), &Theme::changed, this, recolour);
}

void NoteList::setNotes(std::vector<Note> notes) {
    if (notes == notes_) return;
    notes_ = std::move(notes);
    while (QLayoutItem* item = rows_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int row = 0;
    for (const Note& note : notes_) {
        auto* icon = new QLabel(this);
        icon->setPixmap(iconPixmap(note.icon, Theme::color(note.colour), px(14), devicePixelRatioF()));
        QLabel* text = makeText(this);
        text->setText(note.text);
        rows_->addWidget(icon, row, 0, Qt::AlignTop);
        rows_->addWidget(text, row++, 1);
    }
    setVisible(!notes_.empty());
}

}  // namespace heddle::ui
