// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizer.h"
#include "engine/metrics/bleu.h"
#include "engine/metrics/unicode.h"
#include "engine/spec/error.h"

#include <string_view>

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

/// Writes words as people do: no space before closing and after opening punctuation, quotation marks in pairs.
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
    /// 13a cuts a dash only behind a digit, and a slash everywhere.
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

[[noreturn]] void throwUnknownSplit(const std::string& split) {
    throwInvalid("unknown value \"" + split + "\"", "data.tokenizer.split", "use whitespace or 13a");
}

}  // namespace

std::vector<std::string> splitWords(const std::string& line, const std::string& split) {
    if (split == "whitespace") return splitUnicodeSpace(line);
    if (split == "13a") return tokenize13a(line);
    throwUnknownSplit(split);
}

std::string joinWords(const std::vector<std::string>& words, const std::string& split) {
    std::string spaced = joinWithSpaces(words);
    if (split == "whitespace") return spaced;
    if (split != "13a") throwUnknownSplit(split);
    // Rare neighbours ("&" "amp" ";") would read differently when glued: those lines keep their spaces, so that joining never
    // changes a BLEU score.
    std::string readable = Detokenizer().join(words);
    return tokenize13a(readable) == tokenize13a(spaced) ? readable : spaced;
}

}  // namespace heddle
