// SPDX-License-Identifier: Apache-2.0
#include "engine/run/tokenizer_report.h"

#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

namespace heddle {

std::string TokenizerReport::line() const {
    std::string text = fmt::format("{}{}vocabulary: {}, {} entries", side, side.empty() ? "" : " ", kind, countText(size));
    for (const TokenCounts& counts : texts)
        text += fmt::format("; {}: {} tokens in {} lines, {:.2f} % known, {:.2f} % unknown, entries used: {}", counts.text,
                            countText(counts.tokens), countText(counts.lines), 100 * (1 - counts.unknownRate()),
                            100 * counts.unknownRate(), countText(counts.used));
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

TokenizerReport reportFromJson(const Json& json) {
    TokenizerReport report{json.at("side"), json.at("kind"), json.at("size"), {}};
    for (const Json& counts : json.at("texts"))
        report.texts.push_back(
            {counts.at("text"), counts.at("lines"), counts.at("tokens"), counts.at("unknown"), counts.at("used")});
    return report;
}

}  // namespace heddle
