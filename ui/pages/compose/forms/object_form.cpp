// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/object_form.h"

#include "ui/pages/compose/forms/field_form.h"
#include "ui/pages/compose/forms/parts.h"

#include <QCheckBox>
#include <QLabel>
#include <QVBoxLayout>

namespace heddle::ui {

ObjectForm::ObjectForm(const FieldSchema& schema, const QString& name, QWidget* parent)
    : QWidget(parent), schema_(schema), members_(new FieldForm(1, this)) {
    QVBoxLayout* column = makeColumn(this);
    const QString label = QString::fromStdString(schema.key);
    if (schema.nullable) {
        switch_ = new QCheckBox(label, this);
        switch_->setAccessibleName(name);
        switch_->setAccessibleDescription(QString::fromStdString(schema.help));
        column->addWidget(switch_);
        connect(switch_, &QCheckBox::clicked, this,
                [this](bool on) { Q_EMIT edited(on ? withDefaults(schema_, Json::object()) : Json()); });
    } else {
        auto* title = new QLabel(label, this);
        title->setForegroundRole(QPalette::PlaceholderText);
        column->addWidget(title);
    }
    members_->setName(name);
    members_->setFields(schema.fields);
    column->addWidget(members_);
    connect(members_, &FieldForm::edited, this, [this](const std::string& key, const Json& value) {
        Json changed = value_.is_object() ? value_ : Json::object();
        changed[key] = value;
        Q_EMIT edited(changed);
    });
    setFocusProxy(switch_);
}

void ObjectForm::setValue(const Json& value) {
    value_ = value;
    if (switch_) switch_->setChecked(value.is_object());
    members_->setVisible(value.is_object());
    if (value.is_object()) members_->setValues(value);
}

}  // namespace heddle::ui
