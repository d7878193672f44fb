// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle {

/// A text as a cell of a tab-separated table: tabs and line ends become spaces, and an apostrophe stands before what a
/// spreadsheet would run as a formula (a text that begins with = + - @ and is no number).
std::string tableCell(std::string text);

}  // namespace heddle
