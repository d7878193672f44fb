// SPDX-License-Identifier: GPL-3.0-or-later
// A form with an editor for each field of a schema: of a block, of the dimensions or of a run.
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
    /// `columns`: pairs of label and editor side by side; with one column, the ranges are shown after the editors.
    FieldForm(int columns, QWidget* parent);

    /// Builds new editors if the fields have changed.
    void setFields(const std::vector<FieldSchema>& fields);
    /// Shows values by key; `derived`: the values of keys that have none.
    void setValues(const Json& values, const Json& derived = Json::object());
    bool isEmpty() const { return fields_.empty(); }
    /// Marks one field as wrong, or one inside it ("gate.act"); an unknown one is ignored. setValues() removes all marks.
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
    QString name_;  ///< of the object whose members it edits, "gate": the names of its editors begin with it, "gate.act"
    QGridLayout* grid_;
    std::vector<FieldSchema> fields_;
    Json values_;
    std::map<std::string, Row> rows_;
};

}  // namespace heddle::ui
