// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/metrics/bleu.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace heddle {
namespace {

bool isOneOf(std::string_view word, std::string_view characters) {
    return word.size() == 1 && characters.find(word[0]) != std::string_view::npos;
}

bool endsInDigit(std::string_view word) { return !word.empty() && word.back() >= '0' && word.back() <= '9'; }

std::string joinWithSpaces(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text.push_back(' ');
        text.append(word);
    }
    return text;
}

/// Detokenizes words: no space before closing and after opening punctuation, quotation marks in pairs.
class Detokenizer {
public:
    std::string join(const std::vector<std::string>& words) {
        for (const std::string& word : words) {
            if (!text_.empty() && !glued_ && !attachesLeft(word)) text_.push_back(' ');
            text_.append(word);
            glued_ = attachesRight(word);
            if (word == "\"") quoteOpen_ = !quoteOpen_;
            previous_ = word;
        }
        return text_;
    }

private:
    /// 13a splits off a dash only after a digit, and a slash everywhere.
    bool attachesLeft(std::string_view word) const {
        if (word == "\"") return quoteOpen_;
        if (word == "-") return endsInDigit(previous_);
        return isOneOf(word, ".,;:!?)]}%/");
    }

    bool attachesRight(std::string_view word) const {
        if (word == "\"") return !quoteOpen_;
        if (word == "-") return endsInDigit(previous_);
        return isOneOf(word, "([{/$#@");
    }

    std::string text_, previous_;
    bool glued_ = false, quoteOpen_ = false;
};

/// By Unicode blocks: Thai, Lao, Burmese, Khmer, kana, Han.
bool isOfScriptWithoutSpaces(std::string_view character) {
    static constexpr std::pair<std::int32_t, std::int32_t> kBlocks[] = {{0x0E00, 0x0EFF},  {0x1000, 0x109F}, {0x1780, 0x17FF},
                                                                        {0x3040, 0x30FF},  {0x3400, 0x9FFF}, {0xF900, 0xFAFF},
                                                                        {0x20000, 0x3FFFF}};
    const std::int32_t point = codePointOf(character);
    return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                       [&](const auto& block) { return point >= block.first && point <= block.second; });
}

}  // namespace

bool hasSpaces(const std::vector<std::string>& lines) {
    constexpr std::size_t kExaminedLines = 10000;                       // lines
    constexpr std::int64_t kLongestWord = 4, kLongestOfAnyScript = 25;  // characters, on average
    std::int64_t words = 0, characters = 0, unspaced = 0;
    for (std::size_t i = 0; i < std::min(kExaminedLines, lines.size()); ++i)
        for (const std::string& word : splitUnicodeSpace(lines[i])) {
            ++words;
            for (const std::string& character : splitCodePoints(word)) {
                ++characters;
                unspaced += isOfScriptWithoutSpaces(character) ? 1 : 0;
            }
        }
    const bool isLong = characters > kLongestWord * words, isVeryLong = characters > kLongestOfAnyScript * words;
    return !(isVeryLong || (isLong && 2 * unspaced > characters));
}

std::vector<std::string> splitWords(const std::string& line, WordSplit split) {
    return split == WordSplit::Whitespace ? splitUnicodeSpace(line) : tokenize13a(line);
}

std::string joinWords(const std::vector<std::string>& words, WordSplit split) {
    std::string spaced = joinWithSpaces(words);
    if (split == WordSplit::Whitespace) return spaced;
    // Rare sequences ("&" "amp" ";") would split differently when joined; such lines keep their spaces, so that joining never
    // changes a BLEU score.
    std::string readable = Detokenizer().join(words);
    return tokenize13a(readable) == tokenize13a(spaced) ? readable : spaced;
}

}  // namespace heddle
