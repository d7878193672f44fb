// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The text half of BERT's tokenizer (Devlin et al. 2019), as Hugging Face's BasicTokenizer has it: control characters and
/// U+FFFD are dropped, every ideograph and every punctuation character is a word of its own, white space separates. Lower:
/// characters are lower-cased one by one, decomposed (NFD), and non-spacing marks dropped. Keep: text is composed (NFC; BERT's
/// first code and the fast tokenizer leave it as it is). UTF-8; thread-safe.
enum class Casing { Keep, Lower };
std::vector<std::string> bertWords(std::string_view text, Casing casing);

/// The ideographs of `_is_chinese_char`: CJK Unified Ideographs with extensions A–E, and the compatibility ideographs.
bool isIdeograph(std::int32_t codePoint);

}  // namespace heddle
