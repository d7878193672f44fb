// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// Length limits of user-supplied texts. Names and tags are limited in code points, notes and files in bytes.
inline constexpr std::size_t kMaxNameCharacters = 200;  ///< of a run, a group, a saved item
inline constexpr std::size_t kMaxTagCharacters = 64;
inline constexpr std::size_t kMaxTags = 100;  ///< of one run
inline constexpr std::size_t kMaxNoteBytes = std::size_t{64} << 10;
inline constexpr std::uintmax_t kMaxSpecBytes = std::uintmax_t{16} << 20;  ///< of a spec file, checked before it is read

/// Throws Error(InvalidInput) when the text has more than `most` characters. `what` names it in the message ("the name").
inline void requireShort(std::string_view text, std::size_t most, const std::string& what, const std::string& where) {
    if (text.size() <= most) return;  // no character takes less than a byte
    const auto characters = static_cast<std::size_t>(countCodePoints(text));
    if (characters <= most) return;
    throwInvalid(what + " has " + std::to_string(characters) + " characters", where, "use at most " + std::to_string(most));
}

inline void requireShortName(std::string_view name, const std::string& where) {
    requireShort(name, kMaxNameCharacters, "the name", where);
}
inline void requireShortTag(std::string_view tag, const std::string& where) {
    requireShort(tag, kMaxTagCharacters, "the tag", where);
}
inline void requireShortNote(std::string_view note, const std::string& where) {
    if (note.size() > kMaxNoteBytes)
        throwInvalid("the note has " + std::to_string(note.size() >> 10) + " KiB", where,
                     "use at most " + std::to_string(kMaxNoteBytes >> 10) + " KiB");
}

}  // namespace heddle
