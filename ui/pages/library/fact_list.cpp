// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/fact_list.h"

#include "ui/theme/type.h"

#include <QGridLayout>
#include <QLabel>

namespace heddle::ui {

// Not a QFormLayout: it computes the height of a wrapped value from another width, and cuts the value off.
FactList::FactList(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(px(10), px(6), px(10), px(8));
    grid_->setHorizontalSpacing(px(12));
    grid_->setVerticalSpacing(px(5));
    grid_->setColumnMinimumWidth(0, px(84));
    grid_->setColumnStretch(1, 1);
}

void FactList::add(const QString& name, const QString& value) {
    auto* label = new QLabel(name, this);
    label->setForegroundRole(QPalette::PlaceholderText);
    auto* shown = new QLabel(value, this);
    shown->setTextFormat(Qt::PlainText);
    shown->setWordWrap(true);
    shown->setTextInteractionFlags(Qt::TextSelectableByMouse);
    shown->setFont(numberFont(Type::Body));
    const int row = int(rows_.size());
    grid_->addWidget(label, row, 0, Qt::AlignLeft | Qt::AlignTop);
    grid_->addWidget(shown, row, 1);
    rows_.emplace_back(label, shown);
}

void FactList::clear() {
    for (const auto& [label, shown] : std::exchange(rows_, {})) {
        delete label;
        delete shown;
    }
}

QStringList FactList::lines() const {
    QStringList all;
    for (const auto& [label, shown] : rows_) all << label->text() + QLatin1Char(' ') + shown->text();
    return all;
}

}  // namespace heddle::ui
