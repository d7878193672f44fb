// SPDX-License-Identifier: GPL-3.0-or-later
// A line for a number, for a list with commas between its elements, or for words.
#pragma once

#include "engine/spec/field_schema.h"

#include <QLineEdit>

namespace heddle::ui {

class FieldEdit : public QLineEdit {
    Q_OBJECT

public:
    FieldEdit(const FieldSchema& schema, QWidget* parent);

    /// A number may also be left to be derived: it is null or the schema's word ("from_data") then, the field is empty, and the
    /// placeholder says what it comes to.
    void setValue(const Json& value, const QString& derived);

Q_SIGNALS:
    /// The user entered another number that the schema allows, another list, or other words. Of a list of numbers these may be
    /// words that are none: validation says what is wrong with them.
    void edited(const heddle::Json& value);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool isNumber() const;
    void commit();
    void step(int direction);
    /// Nothing: it is no number that the schema allows.
    std::optional<Json> read() const;
    std::optional<Json> readNumber() const;
    Json readList() const;

    FieldSchema schema_;
    Json value_;
    QString shown_;
};

/// "1 to 4,096 steps": the range as a user reads it, or empty.
QString rangeWords(const FieldSchema& schema);

}  // namespace heddle::ui
