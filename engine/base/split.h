// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Returns the parts between the separators, empty parts included. There is always one part more than there are separators;
/// std::views::split() returns no part for an empty text.
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
