// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/list_edit.h"

#include "ui/pages/compose/draft/slot_site.h"

#include <QRegularExpression>

namespace heddle::ui {

ListEdit::ListEdit(const FieldSchema& schema, QWidget* parent)
    : QLineEdit(parent), element_(schema.fields.empty() ? FieldSchema{} : schema.fields.front()) {
    connect(this, &QLineEdit::editingFinished, this, [this] {
        if (isModified()) Q_EMIT edited(read());
        setModified(false);
    });
}

void ListEdit::setValue(const Json& value) {
    const QString now = value.is_array() ? listWords(value) : QString();
    if (now != text()) setText(now);
}

Json ListEdit::read() const {
    using Kind = FieldSchema::Type;
    const bool isNumbers = element_.type == Kind::Integer || element_.type == Kind::Number;
    static const QRegularExpression border(QStringLiteral("[,;\\s]+"));
    Json list = Json::array();
    for (const QString& word : text().split(border, Qt::SkipEmptyParts)) {
        const std::string written = word.toStdString();
        const Json number = Json::parse(written, nullptr, false);
        if (isNumbers && !number.is_number()) return text().toStdString();
        list.push_back(isNumbers ? number : Json(written));
    }
    return list;
}

}  // namespace heddle::ui
