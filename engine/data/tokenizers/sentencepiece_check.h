// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Looks at the bytes of a SentencePiece model before the library does, which trusts them: it builds its trie by recursion over
/// the bytes of a piece, and walks the double array of the normalizer without looking at its bounds (0.1.97). Throws
/// Error(InvalidInput) naming `where` for fields that are cut, pieces that are longer than 1,024 bytes, not UTF-8 or without a
/// finite score, and a normalizer whose array or texts point outside of it.
void checkSentencePieceModel(std::string_view model, const std::string& where);

}  // namespace heddle
