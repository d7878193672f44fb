// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/forms/number_edit.h"

#include "ui/theme/controls.h"
#include "ui/theme/type.h"

#include <QKeyEvent>
#include <QLocale>

#include <cmath>

namespace heddle::ui {
namespace {

QString written(double value) { return QLocale().toString(value, 'g', 10); }

}  // namespace

QString rangeWords(const FieldSchema& schema) {
    QString words;
    const bool low = std::isfinite(schema.minimum), high = std::isfinite(schema.maximum) && schema.maximum < 1e9;
    if (low && high)
        words = NumberEdit::tr("%1 to %2").arg(written(schema.minimum), written(schema.maximum));
    else if (low)
        words = NumberEdit::tr("at least %1").arg(written(schema.minimum));
    if (!schema.unit.empty()) words += QLatin1Char(' ') + QString::fromStdString(schema.unit);
    return words.trimmed();
}

NumberEdit::NumberEdit(const FieldSchema& schema, QWidget* parent) : QLineEdit(parent), schema_(schema) {
    setAlignment(Qt::AlignRight);
    setFont(numberFont(Type::Body));
    connect(this, &QLineEdit::editingFinished, this, &NumberEdit::commit);
}

void NumberEdit::setValue(const Json& value, const QString& derived) {
    value_ = value;
    setPlaceholderText(derived);
    const QString text = value.is_number() ? written(value.get<double>()) : QString();
    if (text != this->text()) setText(text);
}

std::optional<Json> NumberEdit::read() const {
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
    if (schema_.type != FieldSchema::Type::Integer) return Json(value);
    if (std::trunc(value) != value) return std::nullopt;
    return Json(std::int64_t(value));
}

void NumberEdit::commit() {
    const auto value = read();
    if (!value) return setFieldProblem(*this, tr("Use a number: %1").arg(rangeWords(schema_)));
    setFieldProblem(*this, {}, QString::fromStdString(schema_.help));
    if (*value == value_) return;
    value_ = *value;
    Q_EMIT edited(*value);
}

void NumberEdit::step(int direction) {
    const auto value = read();
    if (!value || !value->is_number()) return;
    const bool whole = schema_.type == FieldSchema::Type::Integer;
    // A tenth of the leading digit's place: 0.1 → 0.11, 0.003 → 0.0031.
    const double size = std::abs(value->get<double>());
    const double by = whole ? 1 : size == 0 ? 0.01 : std::pow(10, std::floor(std::log10(size)) - 1);
    setText(written(std::clamp(value->get<double>() + direction * by, schema_.minimum, schema_.maximum)));
    commit();
}

void NumberEdit::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Up) return step(1);
    if (event->key() == Qt::Key_Down) return step(-1);
    QLineEdit::keyPressEvent(event);
}

}  // namespace heddle::ui
