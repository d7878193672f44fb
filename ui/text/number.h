// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as the screen writes them: the user's locale, U+2212 for minus, "–" for no value, NaN written NaN.
#pragma once

#include <QString>

#include <optional>

namespace heddle::ui {

/// What stands in place of a value where there is none.
inline constexpr QChar kNoValue(0x2013);

/// With grouping and exactly `decimals` digits behind the point; scientific from 10⁷ on.
QString number(double value, int decimals);
QString number(std::optional<double> value, int decimals);
QString count(qint64 value);
/// Always with a sign.
QString signedNumber(double value, int decimals);
/// As short as four significant digits allow; scientific beyond 10⁻⁴ … 10⁷.
QString shortNumber(double value);

}  // namespace heddle::ui
