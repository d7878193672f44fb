// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/character_tokenizer.h"

#include "engine/base/unicode.h"
#include "engine/data/tokenizers/bert_text.h"

namespace heddle {
namespace {

/// Characters of scripts without spaces between words: ideographs, kana, bopomofo, their punctuation, full-width forms.
bool isWrittenWithoutSpaces(std::string_view character) {
    const std::int32_t c = codePointOf(character);
    return isIdeograph(c) || (c >= 0x3001 && c <= 0x312F) || (c >= 0x31A0 && c <= 0x31BF) || (c >= 0x31F0 && c <= 0x31FF) ||
           (c >= 0xFF01 && c <= 0xFFEE);
}

std::vector<std::string> charactersOf(const std::string& line) {
    std::vector<std::string> characters;
    for (const std::string& word : splitUnicodeSpace(line)) {
        std::vector<std::string> points = splitCodePoints(word);
        if (!characters.empty() && !(isWrittenWithoutSpaces(characters.back()) && isWrittenWithoutSpaces(points.front())))
            characters.emplace_back(" ");
        characters.insert(characters.end(), std::make_move_iterator(points.begin()), std::make_move_iterator(points.end()));
    }
    return characters;
}

}  // namespace

const ListForm& characterForm() {
    static const ListForm form{"characters",
                               "heddle.characters/1",
                               "characters",
                               "character",
                               false,
                               [](const std::string& line, const TokenizerSpec&) { return charactersOf(line); },
                               [](const std::vector<std::string>& characters, const TokenizerSpec&) {
                                   std::string text;
                                   for (const std::string& character : characters) text += character;
                                   return text;
                               }};
    return form;
}

}  // namespace heddle
