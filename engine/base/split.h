// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The parts between separators, empty parts included: one more than there are separators, where std::views::split() has none
/// in an empty text.
inline std::vector<std::string> splitAt(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

}  // namespace heddle
