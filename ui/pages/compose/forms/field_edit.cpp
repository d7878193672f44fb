// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/field_edit.h"

#include "ui/pages/compose/draft/slot_site.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QKeyEvent>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

using Kind = FieldSchema::Type;

bool isNumeric(const FieldSchema& schema) { return schema.type == Kind::Integer || schema.type == Kind::Number; }

QString written(double value) { return QLocale().toString(value, 'g', 10); }

}  // namespace

QString rangeWords(const FieldSchema& schema) {
    QString words;
    const bool low = std::isfinite(schema.minimum), high = std::isfinite(schema.maximum) && schema.maximum < 1e9;
    if (low && high)
        words = FieldEdit::tr("%1 to %2").arg(written(schema.minimum), written(schema.maximum));
    else if (low)
        words = FieldEdit::tr("at least %1").arg(written(schema.minimum));
    if (!schema.unit.empty()) words += QLatin1Char(' ') + QString::fromStdString(schema.unit);
    return words.trimmed();
}

FieldEdit::FieldEdit(const FieldSchema& schema, QWidget* parent) : QLineEdit(parent), schema_(schema) {
    connect(this, &QLineEdit::editingFinished, this, &FieldEdit::commit);
    if (!isNumber()) return;
    setAlignment(Qt::AlignRight);
    setFont(numberFont(Type::Body));
}

bool FieldEdit::isNumber() const { return isNumeric(schema_); }

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
    if (!value) return setFieldProblem(*this, tr("Use a number: %1").arg(rangeWords(schema_)));
    if (isNumber()) setFieldProblem(*this, {}, QString::fromStdString(schema_.help));
    if (isNumber() ? *value == value_ : text() == shown_) return;
    value_ = *value;
    shown_ = text();
    Q_EMIT edited(*value);
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

}  // namespace heddle::ui
