// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/json/decoder.h"

#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/data/tokenizers/json/step.h"

#include <utility>

namespace heddle {
namespace {

/// The bytes that the characters of the tokens stand for; a token with another character stands for itself. Bytes that are no
/// UTF-8, such as a part of a character, give U+FFFD.
std::string joinBytes(const std::vector<std::string>& tokens) {
    std::string bytes;
    for (const std::string& token : tokens) {
        std::string meant;
        for (const char32_t c : codePoints(token)) {
            const int byte = characterByte(c);
            if (byte < 0) {
                meant = token;
                break;
            }
            meant.push_back(static_cast<char>(byte));
        }
        bytes += meant;
    }
    return utf8(codePoints(bytes));
}

void replaceAll(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

/// The "cleanup" of `tokenizers`: English punctuation and contractions stand without a space.
void cleanUp(std::string& text) {
    static constexpr std::pair<std::string_view, std::string_view> kJoined[] = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto& [what, with] : kJoined) replaceAll(text, what, with);
}

JoinTokens readWordPieces(const Json& document) {
    return [mark = document.value("prefix", "##"),
            clean = document.value("cleanup", true)](const std::vector<std::string>& tokens) {
        std::string text;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            std::string token = tokens[i];
            if (i > 0) token = token.starts_with(mark) ? token.substr(mark.size()) : " " + token;
            if (clean) cleanUp(token);
            text += token;
        }
        return text;
    };
}

JoinTokens readMetaspaces(const Json& document) {
    return [mark = codePoints(document.value("replacement", "\u2581")),
            drops = prependScheme(document) != "never"](const std::vector<std::string>& tokens) {
        std::u32string text;
        for (std::size_t i = 0; i < tokens.size(); ++i)
            for (const char32_t c : codePoints(tokens[i])) {
                const bool isMark = std::u32string_view(&c, 1) == mark;
                if (!isMark)
                    text.push_back(c);
                else if (i > 0 || !drops)
                    text.push_back(' ');
            }
        return utf8(text);
    };
}

std::string joinSpaced(const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens) text += (text.empty() ? "" : " ") + token;
    return text;
}

}  // namespace

JoinTokens readDecoder(const Json& document, const std::string& where) {
    if (document.is_null()) return joinSpaced;
    const std::string type = stepType(document, where);
    if (type == "ByteLevel") return joinBytes;
    if (type == "WordPiece") return readWordPieces(document);
    if (type == "Metaspace") return readMetaspaces(document);
    throwUnsupported("the decoder " + printable(type), where);
}

}  // namespace heddle
