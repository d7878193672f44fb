// SPDX-License-Identifier: Apache-2.0
#include "engine/base/table_cell.h"

#include <algorithm>
#include <charconv>

namespace heddle {
namespace {

bool isNumber(const std::string& text) {
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    double ignored = 0;
    const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), ignored);
    return failed != std::errc::invalid_argument && end == text.data() + text.size();
}

}  // namespace

std::string tableCell(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    // Spreadsheets skip white space before a formula.
    const std::size_t first = text.find_first_not_of(' ');
    const bool mayRun = first != std::string::npos && std::string("=+-@").find(text[first]) != std::string::npos;
    return mayRun && !isNumber(text.substr(first)) ? "'" + text : text;
}

}  // namespace heddle
