// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/segments.h"

#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QPushButton>

namespace heddle::ui {

Segments::Segments(const QStringList& words, QWidget* parent) : QWidget(parent), group_(new QButtonGroup(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (int i = 0; i < int(words.size()); ++i) {
        auto* made = new QPushButton(words[i], this);
        made->setCheckable(true);
        made->setChecked(i == 0);
        setControlRole(*made, i == 0                  ? ControlRole::GroupFirst
                              : i + 1 == words.size() ? ControlRole::GroupLast
                                                      : ControlRole::GroupMiddle);
        group_->addButton(made, i);
        row->addWidget(made);
    }
    connect(group_, &QButtonGroup::idClicked, this, &Segments::chosen);
}

void Segments::allowShrinking() {
    for (QAbstractButton* made : group_->buttons()) {
        made->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        made->setMinimumWidth(px(36));
        if (made->toolTip().isEmpty()) made->setToolTip(made->text());
    }
}

int Segments::current() const { return group_->checkedId(); }

void Segments::setCurrent(int index) {
    if (QAbstractButton* found = group_->button(index)) found->setChecked(true);
}

QPushButton& Segments::button(int index) const { return *qobject_cast<QPushButton*>(group_->button(index)); }

}  // namespace heddle::ui
