// SPDX-License-Identifier: GPL-3.0-or-later
// A form made from field schemas: the fields of a block, of the dimensions or of a plan decide which editors it has.
#pragma once

#include "engine/spec/field_schema.h"

#include <QWidget>

#include <functional>
#include <map>

class QGridLayout;
class QLabel;

namespace heddle::ui {

class FieldForm : public QWidget {
    Q_OBJECT

public:
    /// `columns`: pairs of label and editor side by side; ranges stand behind the editors where there is one.
    FieldForm(int columns, QWidget* parent);

    /// Builds the editors anew when the fields are others.
    void setFields(const std::vector<FieldSchema>& fields);
    /// Shows values by key; `derived`: what keys without a value come to.
    void setValues(const Json& values, const Json& derived = Json::object());
    bool isEmpty() const { return fields_.empty(); }
    /// Marks one field as wrong, or one inside it ("gate.act"); an unknown one is ignored. setValues() takes all marks back.
    void setProblem(const std::string& path, const heddle::Problem& problem);

Q_SIGNALS:
    void edited(const std::string& key, const heddle::Json& value);

private:
    struct Row {
        QWidget* editor;
        std::function<void(const Json& value, const QString& derived)> show;
        FieldForm* members = nullptr;  ///< of an object
    };
    Row makeRow(const FieldSchema& field);
    Row makeObject(const FieldSchema& field);
    QLabel* makeLabel(const FieldSchema& field);
    void addRow(const FieldSchema& field, const Row& row, int place);
    QString nameOf(const FieldSchema& field) const;

    int columns_;
    QString name_;  ///< of the object whose members it edits, "gate": a screen reader calls its editors "gate.act"
    QGridLayout* grid_;
    std::vector<FieldSchema> fields_;
    Json values_;
    std::map<std::string, Row> rows_;
};

}  // namespace heddle::ui
