// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// A number with about five significant digits, avoiding exponents; "nan", "inf", "-inf".
std::string numberText(double value);

/// The same with a sign, which NaN alone lacks; U+2212 is the minus.
std::string signedNumberText(double value);

}  // namespace heddle
