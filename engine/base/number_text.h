// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// A number with about five significant digits, avoiding exponents; "nan", "inf", "-inf".
std::string numberText(double value);

/// The same with a sign, which NaN alone lacks; U+2212 is the minus.
std::string signedNumberText(double value);

/// How many digits numberText() writes after the decimal point of a number from 10⁻³ to 10⁷: 4 below 10, 2 below 1,000, else
/// 1. For a smaller number it is as many as show four significant digits, at most 8.
int decimalsOf(double value);

}  // namespace heddle
