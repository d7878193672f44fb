// SPDX-License-Identifier: GPL-3.0-or-later
// The members of an object as a form in a form; an object that may be absent has a box that switches it on and off.
#pragma once

#include "engine/spec/field_schema.h"

#include <QWidget>

class QCheckBox;

namespace heddle::ui {

class FieldForm;

class ObjectForm : public QWidget {
    Q_OBJECT

public:
    /// `name`: of the object in its form, "gate".
    ObjectForm(const FieldSchema& schema, const QString& name, QWidget* parent);

    void setValue(const Json& value);
    FieldForm& members() const { return *members_; }

Q_SIGNALS:
    /// The whole object with what was changed, or null where it was switched off.
    void edited(const heddle::Json& value);

private:
    FieldSchema schema_;
    Json value_;
    QCheckBox* switch_ = nullptr;  ///< only of an object that may be absent
    FieldForm* members_;
};

}  // namespace heddle::ui
