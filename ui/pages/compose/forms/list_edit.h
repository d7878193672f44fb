// SPDX-License-Identifier: GPL-3.0-or-later
// A field for a list: its elements with commas between them.
#pragma once

#include "engine/spec/field_schema.h"

#include <QLineEdit>

namespace heddle::ui {

class ListEdit : public QLineEdit {
    Q_OBJECT

public:
    ListEdit(const FieldSchema& schema, QWidget* parent);

    void setValue(const Json& value);

Q_SIGNALS:
    /// The user entered another list, or words that are none: validation says what is wrong with those.
    void edited(const heddle::Json& value);

private:
    Json read() const;

    FieldSchema element_;
};

}  // namespace heddle::ui
