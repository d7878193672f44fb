// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/field_form.h"

#include "engine/base/json.h"
#include "ui/pages/compose/draft/slot_site.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/text/utf8.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace heddle::ui {
namespace {

using Kind = FieldSchema::Type;

bool fitsSpinBox(const FieldSchema& field) {
    return field.type == Kind::Integer && !field.nullable && field.alsoAccepts.empty() && field.minimum > -1e9 &&
           field.maximum < 1e9;
}

bool isNumeric(const FieldSchema& field) { return field.type == Kind::Integer || field.type == Kind::Number; }

QString written(double value) { return QLocale().toString(value, 'g', 10); }

/// "1 to 4,096 steps": the range as a user reads it, or empty.
QString rangeWords(const FieldSchema& schema) {
    QString words;
    const bool low = std::isfinite(schema.minimum), high = std::isfinite(schema.maximum) && schema.maximum < 1e9;
    if (low && high)
        words = FieldForm::tr("%1 to %2").arg(written(schema.minimum), written(schema.maximum));
    else if (low)
        words = FieldForm::tr("at least %1").arg(written(schema.minimum));
    if (!schema.unit.empty()) words += QLatin1Char(' ') + QString::fromStdString(schema.unit);
    return words.trimmed();
}

/// A line for a number, for a list with commas between its elements, or for words. Calls `edited` when the user has entered
/// another number that the schema allows, another list, or other words. An entered list of numbers may hold other words;
/// validation reports them.
class FieldEdit : public QLineEdit {
public:
    FieldEdit(const FieldSchema& schema, QWidget* parent, std::function<void(const Json&)> edited);
    /// A number may also be left to be derived: it is null or the schema's word ("from_data") then, the field is empty, and the
    /// placeholder shows the derived value.
    void setValue(const Json& value, const QString& derived);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool isNumber() const { return isNumeric(schema_); }
    void commit();
    void step(int direction);
    /// Nothing if the text is no number that the schema allows.
    std::optional<Json> read() const;
    std::optional<Json> readNumber() const;
    Json readList() const;

    FieldSchema schema_;
    std::function<void(const Json&)> edited_;
    Json value_;
    QString shown_;
};

FieldEdit::FieldEdit(const FieldSchema& schema, QWidget* parent, std::function<void(const Json&)> edited)
    : QLineEdit(parent), schema_(schema), edited_(std::move(edited)) {
    connect(this, &QLineEdit::editingFinished, this, &FieldEdit::commit);
    if (!isNumber()) return;
    setAlignment(Qt::AlignRight);
    setFont(numberFont(Type::Body));
}

void FieldEdit::setValue(const Json& value, const QString& derived) {
    value_ = value;
    if (isNumber()) {
        setPlaceholderText(derived);
        shown_ = value.is_number() ? written(value.get<double>()) : QString();
    } else {
        shown_ = value.is_array() ? listWords(value) : value.is_string() ? ui::text(value.get<std::string>()) : QString();
    }
    if (shown_ != text()) setText(shown_);
}

std::optional<Json> FieldEdit::read() const {
    return isNumber() ? readNumber() : schema_.type == Kind::List ? readList() : Json(text().toStdString());
}

std::optional<Json> FieldEdit::readNumber() const {
    const QString text = this->text().trimmed();
    if (text.isEmpty()) {
        if (schema_.nullable) return Json();
        if (!schema_.alsoAccepts.empty()) return Json(schema_.alsoAccepts.front());
        return std::nullopt;
    }
    bool ok = false;
    double value = QLocale().toDouble(text, &ok);
    if (!ok) value = QLocale::c().toDouble(text, &ok);
    if (!ok || !(value >= schema_.minimum && value <= schema_.maximum)) return std::nullopt;
    if (schema_.type != Kind::Integer) return Json(value);
    if (std::trunc(value) != value) return std::nullopt;
    return Json(std::int64_t(value));
}

Json FieldEdit::readList() const {
    const bool ofNumbers = !schema_.fields.empty() && isNumeric(schema_.fields.front());
    static const QRegularExpression border(QStringLiteral("[,;\\s]+"));
    Json list = Json::array();
    for (const QString& word : text().split(border, Qt::SkipEmptyParts)) {
        const std::string element = word.toStdString();
        const Json number = Json::parse(element, nullptr, false);
        if (ofNumbers && !number.is_number()) return text().toStdString();
        list.push_back(ofNumbers ? number : Json(element));
    }
    return list;
}

void FieldEdit::commit() {
    const auto value = read();
    if (!value) return setFieldProblem(*this, FieldForm::tr("Enter a number: %1").arg(rangeWords(schema_)));
    if (isNumber()) setFieldProblem(*this, {}, QString::fromStdString(schema_.help));
    if (isNumber() ? *value == value_ : text() == shown_) return;
    value_ = *value;
    shown_ = text();
    edited_(*value);
}

void FieldEdit::step(int direction) {
    const auto value = read();
    if (!value || !value->is_number()) return;
    const bool whole = schema_.type == Kind::Integer;
    // A tenth of the leading digit's place: 0.1 → 0.11, 0.003 → 0.0031.
    const double size = std::abs(value->get<double>());
    const double by = whole ? 1 : size == 0 ? 0.01 : std::pow(10, std::floor(std::log10(size)) - 1);
    setText(written(std::clamp(value->get<double>() + direction * by, schema_.minimum, schema_.maximum)));
    commit();
}

void FieldEdit::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Up) return step(1);
    if (event->key() == Qt::Key_Down) return step(-1);
    QLineEdit::keyPressEvent(event);
}

/// The placeholder of an empty field that has no derived value.
QString openWords(const FieldSchema& field) {
    if (field.nullable) return FieldForm::tr("derived");
    if (field.alsoAccepts.empty()) return {};
    return text(field.alsoAccepts.front()).replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// One width for all number fields, wide enough for the longest placeholder in any font.
int numberWidth(const std::vector<FieldSchema>& fields, int least) {
    int width = least;
    for (const auto& field : fields)
        if (isNumeric(field)) width = std::max(width, textWidth(openWords(field), numberFont(Type::Body)) + px(16));
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
    auto* edit = new FieldEdit(field, this, send);
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
        toggle->setObjectName(nameOf(field));
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
    if (isShown) hide();  // otherwise each row would cause a layout of the whole window
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
        if (isNumeric(field)) row.editor->setFixedWidth(width);
        if (field.type == Kind::Object) place += (columns_ - place % columns_) % columns_;  // on its own line
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
    row.editor->setObjectName(nameOf(field));
    row.editor->setAccessibleName(nameOf(field));
    row.editor->setAccessibleDescription(text(field.help));
    row.editor->show();
    if (field.type == Kind::Object) return grid_->addWidget(row.editor, line, 0, 1, 3 * columns_);
    QLabel* label = makeLabel(field);
    label->setBuddy(row.editor);
    const bool narrow = isNumeric(field), wide = field.type == Kind::String || field.type == Kind::List;
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
