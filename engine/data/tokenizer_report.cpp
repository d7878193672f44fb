// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizer_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

/// 12345 → "12,345".
std::string grouped(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

}  // namespace

TokenCounter::TokenCounter(const Tokenizer& tokenizer, std::string text)
    : specials_(tokenizer.specials()), seen_(static_cast<std::size_t>(tokenizer.size())) {
    counts_.text = std::move(text);
}

void TokenCounter::add(const std::vector<std::int32_t>& ids) {
    ++counts_.lines;
    counts_.tokens += static_cast<std::int64_t>(ids.size());
    for (const std::int32_t id : ids) {
        counts_.unknown += id == kUnk ? 1 : 0;
        const auto entry = static_cast<std::size_t>(id);
        if (id < specials_ || seen_[entry]) continue;
        seen_[entry] = true;
        ++counts_.used;
    }
}

std::string TokenizerReport::line() const {
    std::string text = fmt::format("{}{}vocabulary: {}, {} entries", side, side.empty() ? "" : " ", kind, grouped(size));
    for (const TokenCounts& counts : texts)
        text += fmt::format("; {}: {} tokens in {} lines, {:.2f} % known, {:.2f} % unknown, entries used: {}", counts.text,
                            grouped(counts.tokens), grouped(counts.lines), 100 * (1 - counts.unknownRate()),
                            100 * counts.unknownRate(), grouped(counts.used));
    return text;
}

Json TokenizerReport::json() const {
    Json list = Json::array();
    for (const TokenCounts& counts : texts)
        list.push_back({{"text", counts.text},
                        {"lines", counts.lines},
                        {"tokens", counts.tokens},
                        {"unknown", counts.unknown},
                        {"unknown_rate", counts.unknownRate()},
                        {"coverage", 1 - counts.unknownRate()},
                        {"used", counts.used}});
    return {{"side", side}, {"kind", kind}, {"size", size}, {"texts", list}};
}

TokenizerReport reportOf(const Tokenizer& tokenizer, const std::string& side) {
    return {side, tokenizer.spec().kind, tokenizer.size(), {}};
}

TokenizerReport reportFromJson(const Json& json) {
    TokenizerReport report{json.at("side"), json.at("kind"), json.at("size"), {}};
    for (const Json& counts : json.at("texts"))
        report.texts.push_back(
            {counts.at("text"), counts.at("lines"), counts.at("tokens"), counts.at("unknown"), counts.at("used")});
    return report;
}

}  // namespace heddle
