// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Tokens as text. Pure and thread-safe.
using JoinTokens = std::function<std::string(const std::vector<std::string>&)>;

/// The decoder of a tokenizer.json: ByteLevel, WordPiece, Metaspace; null: tokens with spaces between them. Throws
/// Error(InvalidInput) naming `where` for others.
JoinTokens readDecoder(const Json& document, const std::string& where);

}  // namespace heddle
