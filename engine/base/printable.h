// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

/// Text that comes from files and databases may hold characters that steer a terminal or reorder what people read. This file
/// is the one place that decides which characters these are and how they are shown.

/// One character at the beginning of a text.
struct PrintedCharacter {
    std::size_t bytes = 1;  ///< how many bytes of the text it is
    std::string escape;     ///< what is printed in its place; empty: the bytes themselves
};

/// The first character of a text that is not empty. C0 controls and bytes that are not UTF-8 are printed as \xNN; DEL, C1
/// controls, line separators and bidirectional controls as \uNNNN, which is their escape in JSON too.
PrintedCharacter firstCharacter(std::string_view text);

/// Bytes at the end of a text that may be the beginning of a character whose rest is still to come: 0 to 3.
std::size_t cutCharacter(std::string_view text);

/// The text on one line, every character as firstCharacter() prints it.
std::string printable(std::string_view text);

/// The same for at most `characters` characters, with "…" when something was cut.
std::string printableExcerpt(std::string_view text, std::size_t characters);

}  // namespace heddle
