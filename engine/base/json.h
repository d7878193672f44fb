// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace heddle {

using Json = nlohmann::json;

/// Parses UTF-8 JSON text; depth at most 64. Throws Error(InvalidInput) naming `where`, line and column.
Json parseJson(std::string_view text, const std::string& where);

/// Reads and parses a JSON file (regular files up to 64 MiB).
Json readJsonFile(const std::string& path);

/// Canonical text of RFC 8785: sorted keys, shortest numbers, no spaces. Equal values give equal bytes.
std::string canonicalJson(const Json& value);

}  // namespace heddle
