// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Validates the bytes of a SentencePiece model before the library reads them without checks: version 0.1.97 builds its trie by
/// recursion over the bytes of a piece and walks the normalizer's double array without bounds checks. Throws
/// Error(InvalidInput) naming `where` for truncated fields, pieces that are longer than 1,024 bytes, not UTF-8 or without a
/// finite score, and a normalizer with out-of-range indices.
void checkSentencePieceModel(std::string_view model, const std::string& where);

}  // namespace heddle
