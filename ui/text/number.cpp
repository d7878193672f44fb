// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/number.h"

#include <QLocale>

#include <cmath>

namespace heddle::ui {
namespace {

constexpr double kPlainBelow = 1e7;  ///< larger values are scientific

const QChar kMinus(0x2212), kInfinity(0x221E);

QString typographic(QString text) { return text.replace(QLatin1Char('-'), kMinus); }

QString special(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    return value < 0 ? kMinus + QString(kInfinity) : QString(kInfinity);
}

/// With a lower-case "e" in every locale, as on the axes.
QString scientific(double value) { return QLocale().toString(value, 'e', 3).toLower(); }

}  // namespace

QString number(double value, int decimals) {
    if (!std::isfinite(value)) return special(value);
    if (std::abs(value) >= kPlainBelow) return typographic(scientific(value));
    return typographic(QLocale().toString(value, 'f', decimals));
}

QString number(std::optional<double> value, int decimals) { return value ? number(*value, decimals) : QString(kNoValue); }

QString count(qint64 value) { return typographic(QLocale().toString(value)); }

QString signedNumber(double value, int decimals) {
    const QString text = number(value, decimals);
    return value > 0 ? QLatin1Char('+') + text : text;
}

QString shortNumber(double value) {
    if (!std::isfinite(value)) return special(value);
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < kPlainBelow);
    const int decimals = std::max(0, 4 - int(std::floor(std::log10(std::max(size, 1e-4)))) - 1);
    QString text = plain ? QLocale().toString(value, 'f', decimals) : scientific(value);
    const QString point = QLocale().decimalPoint();
    if (plain && text.contains(point)) {
        while (text.endsWith(QLatin1Char('0'))) text.chop(1);
        if (text.endsWith(point)) text.chop(point.size());
    }
    return typographic(text);
}

QString exportedNumber(double value) { return std::isfinite(value) ? QLocale::c().toString(value, 'g', 9) : QString(); }

}  // namespace heddle::ui
