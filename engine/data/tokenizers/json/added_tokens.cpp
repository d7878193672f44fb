// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizers/json/added_tokens.h"

#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <algorithm>

namespace heddle {

void TokenFinder::add(const std::u32string& text, const AddedToken& token) {
    if (text.empty()) return;
    std::vector<Entry>& entries = byFirst_[text.front()];
    const auto shorter =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.text.size() < text.size(); });
    entries.insert(shorter, {text, token});
}

const TokenFinder::Entry* TokenFinder::findAt(std::u32string_view text, std::size_t at) const {
    const auto entries = byFirst_.find(text[at]);
    if (entries == byFirst_.end()) return nullptr;
    for (const Entry& entry : entries->second)
        if (text.substr(at).starts_with(entry.text)) return &entry;
    return nullptr;
}

std::vector<TextOrToken> TokenFinder::split(const OriginText& text) const {
    std::vector<TextOrToken> parts;
    std::size_t begun = 0;  // of the text that no token covers
    for (std::size_t at = 0; at < text.size();) {
        const Entry* found = findAt(text.characters, at);
        if (found == nullptr) {
            ++at;
            continue;
        }
        std::size_t begin = at, end = at + found->text.size();
        while (found->token.stripsLeft && begin > begun && isUnicodeSpace(text.characters[begin - 1])) --begin;
        at = end;
        while (found->token.stripsRight && end < text.size() && isUnicodeSpace(text.characters[end])) ++end;
        if (begin > begun) parts.emplace_back(text.part(begun, begin));
        parts.emplace_back(FoundToken{found->token.id, text.origin(begin, end)});
        begun = end;
        at = std::max(at, begun);
    }
    if (begun < text.size()) parts.emplace_back(text.part(begun, text.size()));
    return parts;
}

AddedToken readAddedToken(const Json& document, const std::string& where) {
    AddedToken token;
    document.at("id").get_to(token.id);
    document.at("content").get_to(token.content);
    token.isSpecial = document.value("special", false);
    token.stripsLeft = document.value("lstrip", false);
    token.stripsRight = document.value("rstrip", false);
    if (document.value("single_word", false))
        throwUnsupported("single_word of the added token \"" + printable(token.content) + "\"", where);
    return token;
}

}  // namespace heddle
