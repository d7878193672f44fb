// SPDX-License-Identifier: GPL-3.0-or-later
// A field for a number that may also be left to be derived: empty then, and the placeholder says what follows.
#pragma once

#include "engine/spec/field_schema.h"

#include <QLineEdit>

namespace heddle::ui {

class NumberEdit : public QLineEdit {
    Q_OBJECT

public:
    NumberEdit(const FieldSchema& schema, QWidget* parent);

    /// A number, or null or the schema's word ("from_data") for an empty field. `derived` is what an empty field comes to.
    void setValue(const Json& value, const QString& derived = {});

Q_SIGNALS:
    /// The user entered another value that the schema allows.
    void edited(const heddle::Json& value);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void commit();
    void step(int direction);
    std::optional<Json> read() const;

    FieldSchema schema_;
    Json value_;
};

/// "1 to 4,096 steps": the range as a user reads it, or empty.
QString rangeWords(const FieldSchema& schema);

}  // namespace heddle::ui
