// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/small_parts.h"

#include "ui/theme/type.h"

#include <QLabel>
#include <QVBoxLayout>

namespace heddle::ui {

QVBoxLayout* makeColumn(QWidget* owner) {
    auto* column = new QVBoxLayout(owner);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

void setCaption(QLabel& label) {
    label.setFont(typeFont(Type::Caption));
    label.setForegroundRole(QPalette::PlaceholderText);
}

QLabel* makeCaption(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    setCaption(*label);
    return label;
}

}  // namespace heddle::ui
