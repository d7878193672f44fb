// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit_delegate.h"

#include <QWidget>

namespace heddle::ui {

void EditDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    constexpr const char* kIsFilled = "isFilled";
    if (editor->property(kIsFilled).toBool()) return;
    editor->setProperty(kIsFilled, true);
    fill(editor, index);
}

}  // namespace heddle::ui
