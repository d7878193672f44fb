// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as text on the screen: in the user's locale, with U+2212 for minus, "–" for no value and "NaN".
#pragma once

#include <QString>

#include <optional>

namespace heddle::ui {

/// Shown if there is no value.
inline constexpr QChar kNoValue(0x2013);

/// With grouping and exactly `decimals` digits after the decimal point; scientific from 10⁷ on.
QString number(double value, int decimals);
QString number(std::optional<double> value, int decimals);
QString count(qint64 value);
/// Always with a sign.
QString signedNumber(double value, int decimals);
/// With at most four significant digits; scientific below 10⁻⁴ and from 10⁷ on.
QString shortNumber(double value);
/// For an exported table: nine digits, with a point, whatever the locale; empty if it is not finite.
QString exportedNumber(double value);

}  // namespace heddle::ui
