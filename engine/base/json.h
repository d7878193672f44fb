// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace heddle {

/// Parses UTF-8 JSON text; depth at most 64. Throws Error(InvalidInput) naming `where`, line and column.
Json parseJson(std::string_view text, const std::string& where);

/// Reads and parses a JSON file (regular files up to 64 MiB).
Json readJsonFile(const std::string& path);

/// Canonical text of RFC 8785: sorted keys, shortest numbers, no spaces. Equal values give equal bytes.
std::string canonicalJson(const Json& value);

/// JSON text that may hold bytes that are not UTF-8; they become U+FFFD. `indent`: spaces a level; -1: all on one line.
std::string dumped(const Json& value, int indent = -1);

/// The value, or null.
template <typename Value>
Json orNull(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace heddle
