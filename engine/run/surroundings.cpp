// SPDX-License-Identifier: Apache-2.0
#include "engine/run/surroundings.h"

#include <algorithm>
#include <string_view>

namespace heddle {
namespace {

bool isPlain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=:,@%+").find(c) != std::string_view::npos;
}

}  // namespace

std::string commandText(const std::vector<std::string>& command) {
    std::string text;
    for (const std::string& argument : command) {
        if (!text.empty()) text += ' ';
        if (!argument.empty() && std::all_of(argument.begin(), argument.end(), isPlain)) {
            text += argument;
            continue;
        }
        text += '\'';
        for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += '\'';
    }
    return text;
}

}  // namespace heddle
