// SPDX-License-Identifier: Apache-2.0
// mteval-v13a's language-independent tokenization as sacreBLEU 2.x does it (tokenizer_13a.py, tokenizer_re.py). Its four
// regular expressions only look at ASCII characters, so that they can run on UTF-8 bytes: a byte of a longer character counts
// as "not a digit", as the character does.
#include "engine/base/unicode.h"
#include "engine/metrics/bleu.h"

#include <string_view>

namespace heddle {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isPeriodOrComma(char c) { return c == '.' || c == ','; }

/// [\{-\~\[-\` -\&\(-\+\:-\@\/]
bool isSymbol(char c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
           (c >= ':' && c <= '@') || c == '/';
}

void replaceAll(std::string& text, std::string_view what, std::string_view with) {
    std::size_t found = text.find(what);
    if (found == std::string::npos) return;
    std::string out;
    std::size_t begin = 0;
    for (; found != std::string::npos; found = text.find(what, begin)) {
        out.append(text, begin, found - begin).append(with);
        begin = found + what.size();
    }
    text = out.append(text, begin);
}

/// Replaces every non-overlapping pair of bytes for which `matches` holds by before + first + between + second + after.
struct PairRule {
    bool (*matches)(char first, char second);
    std::string_view before, between, after;
};

std::string applyRule(const std::string& text, const PairRule& rule) {
    std::string out;
    out.reserve(text.size() * 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 1 < text.size() && rule.matches(text[i], text[i + 1])) {
            out.append(rule.before).push_back(text[i]);
            out.append(rule.between).push_back(text[i + 1]);
            out.append(rule.after);
            ++i;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

}  // namespace

std::vector<std::string> tokenize13a(const std::string& line) {
    std::string text = line;
    replaceAll(text, "<skipped>", "");
    replaceAll(text, "-\n", "");
    replaceAll(text, "\n", " ");
    replaceAll(text, "&quot;", "\"");
    replaceAll(text, "&amp;", "&");
    replaceAll(text, "&lt;", "<");
    replaceAll(text, "&gt;", ">");

    std::string spaced = " ";
    for (const char c : text) {
        if (isSymbol(c))
            spaced.append({' ', c, ' '});
        else
            spaced.push_back(c);
    }
    spaced.push_back(' ');

    // ([^0-9])([\.,]) → "\1 \2 ", ([\.,])([^0-9]) → " \1 \2", ([0-9])(-) → "\1 \2 "
    spaced = applyRule(spaced, {[](char a, char b) { return !isDigit(a) && isPeriodOrComma(b); }, "", " ", " "});
    spaced = applyRule(spaced, {[](char a, char b) { return isPeriodOrComma(a) && !isDigit(b); }, " ", " ", ""});
    spaced = applyRule(spaced, {[](char a, char b) { return isDigit(a) && b == '-'; }, "", " ", " "});
    return splitUnicodeSpace(spaced);
}

}  // namespace heddle
