// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/field_form.h"

#include "ui/pages/compose/forms/field_edit.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/text/utf8.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLocale>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {
namespace {

using Kind = FieldSchema::Type;

bool fitsSpinBox(const FieldSchema& field) {
    return field.type == Kind::Integer && !field.nullable && field.alsoAccepts.empty() && field.minimum > -1e9 &&
           field.maximum < 1e9;
}

bool isNarrow(const FieldSchema& field) { return field.type == Kind::Integer || field.type == Kind::Number; }

/// The placeholder of an empty field that has no derived value.
QString openWords(const FieldSchema& field) {
    if (field.nullable) return FieldForm::tr("derived");
    if (field.alsoAccepts.empty()) return {};
    return text(field.alsoAccepts.front()).replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// One width for all fields of numbers, wide enough for the longest placeholder in any font.
int numberWidth(const std::vector<FieldSchema>& fields, int least) {
    int width = least;
    for (const auto& field : fields)
        if (isNarrow(field)) width = std::max(width, textWidth(openWords(field), numberFont(Type::Body)) + px(16));
    return width;
}

bool sameFields(const std::vector<FieldSchema>& a, const std::vector<FieldSchema>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.key == y.key && x.type == y.type && x.choices == y.choices && x.minimum == y.minimum &&
               x.maximum == y.maximum && x.nullable == y.nullable && x.help == y.help && sameFields(x.fields, y.fields);
    });
}

}  // namespace

FieldForm::FieldForm(int columns, QWidget* parent) : QWidget(parent), columns_(columns), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(px(10), px(6), px(10), px(6));
    grid_->setHorizontalSpacing(px(8));
    grid_->setVerticalSpacing(px(4));
}

QString FieldForm::nameOf(const FieldSchema& field) const {
    return name_.isEmpty() ? text(field.key) : name_ + QLatin1Char('.') + text(field.key);
}

FieldForm::Row FieldForm::makeRow(const FieldSchema& field) {
    const std::string key = field.key;
    const auto send = [this, key](const Json& value) { Q_EMIT edited(key, value); };
    if (field.type == Kind::Boolean) {
        auto* box = new QCheckBox(this);
        connect(box, &QCheckBox::clicked, this, [send](bool on) { send(on); });
        return {box, [box](const Json& value, const QString&) { box->setChecked(value.is_boolean() && value.get<bool>()); }};
    }
    if (field.type == Kind::Choice) {
        auto* combo = new QComboBox(this);
        for (const auto& choice : field.choices) combo->addItem(text(choice));
        connect(combo, &QComboBox::activated, this, [send, combo] { send(combo->currentText().toStdString()); });
        return {combo, [combo](const Json& value, const QString&) {
                    combo->setCurrentIndex(value.is_string() ? combo->findText(text(value.get<std::string>())) : -1);
                }};
    }
    if (fitsSpinBox(field)) {
        auto* spin = new QSpinBox(this);
        spin->setRange(int(field.minimum), int(field.maximum));
        spin->setKeyboardTracking(false);
        spin->setGroupSeparatorShown(true);
        spin->setAlignment(Qt::AlignRight);
        spin->setFont(numberFont(Type::Body));
        connect(spin, &QSpinBox::valueChanged, this, [send](int value) { send(value); });
        return {spin, [spin](const Json& value, const QString&) {
                    const QSignalBlocker quiet(spin);
                    if (value.is_number()) spin->setValue(int(value.get<double>()));
                }};
    }
    if (field.type == Kind::Object) return makeObject(field);
    auto* edit = new FieldEdit(field, this);
    connect(edit, &FieldEdit::edited, this, send);
    return {edit, [edit](const Json& value, const QString& derived) { edit->setValue(value, derived); }};
}

QLabel* FieldForm::makeLabel(const FieldSchema& field) {
    auto* label = new QLabel(text(field.key), this);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setToolTip(text(field.help));
    return label;
}

/// A form in the form; an object that may be absent has a box that switches it on and off.
FieldForm::Row FieldForm::makeObject(const FieldSchema& field) {
    auto* object = new QWidget(this);
    QVBoxLayout* column = makeColumn(object);
    QCheckBox* toggle = nullptr;
    if (field.nullable) {
        column->addWidget(toggle = new QCheckBox(text(field.key), object));
        toggle->setAccessibleName(nameOf(field));
        toggle->setAccessibleDescription(text(field.help));
        object->setFocusProxy(toggle);
        connect(toggle, &QCheckBox::clicked, this,
                [this, field](bool on) { Q_EMIT edited(field.key, on ? withDefaults(field, Json::object()) : Json()); });
    } else {
        column->addWidget(makeLabel(field));
    }
    auto* members = new FieldForm(1, object);
    members->name_ = nameOf(field);
    members->setFields(field.fields);
    column->addWidget(members);
    connect(members, &FieldForm::edited, this, [this, members, key = field.key](const std::string& member, const Json& value) {
        Json changed = members->values_;
        changed[member] = value;
        Q_EMIT edited(key, changed);
    });
    const auto show = [toggle, members](const Json& value, const QString&) {
        if (toggle) toggle->setChecked(value.is_object());
        members->setVisible(value.is_object());
        if (value.is_object()) members->setValues(value);
    };
    return {object, show, members};
}

void FieldForm::setFields(const std::vector<FieldSchema>& fields) {
    if (sameFields(fields, fields_)) return;
    const bool isShown = isVisible();
    if (isShown) hide();  // else every row would lay out the whole window anew
    while (QLayoutItem* item = grid_->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    rows_.clear();
    fields_ = fields;
    int place = 0;
    const int width = numberWidth(fields_, px(columns_ > 1 ? 70 : 84));
    for (const auto& field : fields_) {
        const Row row = makeRow(field);
        if (isNarrow(field)) row.editor->setFixedWidth(width);
        if (field.type == Kind::Object) place += (columns_ - place % columns_) % columns_;  // it has a line of its own
        addRow(field, row, place);
        rows_.emplace(field.key, row);
        place += field.type == Kind::Object ? columns_ : 1;
    }
    for (int column = 0; column < columns_; ++column) grid_->setColumnStretch(3 * column + 2, columns_ == 1 ? 1 : 0);
    if (isShown) show();
}

void FieldForm::addRow(const FieldSchema& field, const Row& row, int place) {
    const int line = place / columns_, column = 3 * (place % columns_);
    row.editor->setToolTip(text(field.help));
    row.editor->setAccessibleName(nameOf(field));
    row.editor->setAccessibleDescription(text(field.help));
    row.editor->show();
    if (field.type == Kind::Object) return grid_->addWidget(row.editor, line, 0, 1, 3 * columns_);
    QLabel* label = makeLabel(field);
    label->setBuddy(row.editor);
    const bool narrow = isNarrow(field), wide = field.type == Kind::String || field.type == Kind::List;
    grid_->addWidget(label, line, column);
    grid_->addWidget(row.editor, line, column + 1, 1, wide ? 2 : 1, narrow && columns_ > 1 ? Qt::AlignRight : Qt::Alignment());
    if (columns_ == 1 && narrow) grid_->addWidget(makeCaption(rangeWords(field), this), line, column + 2);
}

void FieldForm::setValues(const Json& values, const Json& derived) {
    values_ = values;
    for (const auto& field : fields_) {
        const Row& row = rows_.at(field.key);
        setFieldProblem(*row.editor, {}, text(field.help));
        const Json follows = derived.value(field.key, Json());
        QString words = follows.is_number() ? tr("= %1").arg(QLocale().toString(follows.get<double>(), 'g', 10)) : QString();
        if (words.isEmpty()) words = openWords(field);
        row.show(values.value(field.key, Json()), words);
    }
}

void FieldForm::setProblem(const std::string& path, const heddle::Problem& problem) {
    const auto dot = path.find('.');
    auto found = rows_.find(path);
    if (found == rows_.end()) found = rows_.find(path.substr(0, dot));
    if (found == rows_.end()) return;
    if (FieldForm* members = found->second.members; members && dot != std::string::npos)
        return members->setProblem(path.substr(dot + 1), problem);
    setFieldProblem(*found->second.editor, text(problem.what + "; " + problem.next));
}

}  // namespace heddle::ui
