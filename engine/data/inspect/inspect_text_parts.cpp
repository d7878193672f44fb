// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unicode.h"
#include "engine/data/inspect/inspect_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heddle::inspection {
namespace {

constexpr std::int64_t kColumns = 120, kBarColumns = 40;
constexpr std::int64_t kShownClasses = 20;

/// Two columns for East Asian wide and full-width characters (Unicode Standard Annex 11, by block) and pictographs, else one.
std::int64_t columnsOf(const std::string& character) {
    static constexpr std::array<std::pair<std::int32_t, std::int32_t>, 9> kWide{{{0x1100, 0x115F},
                                                                                 {0x2E80, 0xA4CF},
                                                                                 {0xAC00, 0xD7A3},
                                                                                 {0xF900, 0xFAFF},
                                                                                 {0xFE30, 0xFE6F},
                                                                                 {0xFF00, 0xFF60},
                                                                                 {0xFFE0, 0xFFE6},
                                                                                 {0x1F300, 0x1FAFF},
                                                                                 {0x20000, 0x3FFFD}}};
    const std::int32_t c = codePointOf(character);
    return std::any_of(kWide.begin(), kWide.end(), [c](const auto& range) { return c >= range.first && c <= range.second; })
               ? 2
               : 1;
}

std::int64_t widthOf(const std::string& text) {
    std::int64_t width = 0;
    for (const std::string& character : splitCodePoints(text)) width += columnsOf(character);
    return width;
}

std::string bar(std::int64_t value, std::int64_t largest) {
    std::string text;
    for (std::int64_t i = 0; i < value * kBarColumns / std::max<std::int64_t>(largest, 1); ++i) text += "█";
    return text.empty() && value > 0 ? "▏" : text;
}

/// Wraps one line at spaces; words are not broken.
std::string fitLine(const std::string& line) {
    if (static_cast<std::int64_t>(line.size()) <= kColumns || widthOf(line) <= kColumns) return line;
    const std::size_t indent = std::min<std::size_t>(line.find_first_not_of(' '), 20) + 4;
    std::string text, current = line.substr(0, line.find_first_not_of(' '));
    bool empty = true;  // only indentation so far
    std::int64_t width = static_cast<std::int64_t>(current.size());
    for (const std::string& word : splitUnicodeSpace(line)) {
        const std::int64_t more = widthOf(word) + (empty ? 0 : 1);
        if (!empty && width + more > kColumns) {
            text += current + "\n";
            current = std::string(indent, ' ');
            width = static_cast<std::int64_t>(indent);
            empty = true;
        }
        current += (empty ? "" : " ") + word;
        width += widthOf(word) + (empty ? 0 : 1);
        empty = false;
    }
    return text + current;
}

}  // namespace

std::string fitColumns(const std::string& text) {
    std::string fitted;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        fitted += fitLine(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return fitted;
}

std::string clip(const std::string& text, std::int64_t columns) {
    if (widthOf(text) <= columns) return text;
    std::string shown;
    for (const std::string& character : splitCodePoints(text)) {
        columns -= columnsOf(character);
        if (columns < 1) break;
        shown += character;
    }
    return shown + "…";
}

std::string histogramText(const Json& bins, const std::string& unit) {
    std::int64_t largest = 0;
    for (const Json& bin : bins) largest = std::max(largest, wholeAt(bin, unit));
    std::string text;
    for (const Json& bin : bins) {
        const auto lines = wholeAt(bin, unit);
        const std::string range = fmt::format("{}–{}", wholeAt(bin, "from"), wholeAt(bin, "to"));
        text += fmt::format("    {:>11} {:>9}  {}\n", range, lines, bar(lines, largest));
    }
    return text;
}

/// "word count" entries, wrapped.
std::string frequentText(const Json& words) {
    std::string text, line;
    for (const Json& entry : words) {
        const std::string item = fmt::format("{} {}", clip(textAt(entry, "word"), 60), wholeAt(entry, "count"));
        if (!line.empty() && widthOf(line) + widthOf(item) > 100) {
            text += "    " + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " · ") + item;
    }
    return line.empty() ? text : text + "    " + line + "\n";
}

std::string headText(const Json& file) {
    std::string text = textAt(file, "path") + "\n";
    const std::string title = file.value("title", "");
    text += fmt::format("  format {}{}, recognised by {}\n", textAt(file, "format"), title.empty() ? "" : " (" + title + ")",
                        textAt(file, "recognised_by"));
    text += fmt::format("  SHA-256 {}\n", textAt(file, "sha256"));
    for (const Json& note : file.at("notes")) text += "  note: " + note.get<std::string>() + "\n";
    return text;
}

std::string sideText(const Json& side, std::int64_t minCount, const std::string& unit) {
    const Json& vocabulary = side.at("vocabulary");
    const Json& characters = side.at("characters");
    std::string text =
        fmt::format("  {} word types, {} of them once; {} occur at least {} times and cover {:.2f} % of the words\n",
                    wholeAt(vocabulary, "types"), wholeAt(vocabulary, "once"), wholeAt(vocabulary, "kept"), minCount,
                    100 * realAt(vocabulary, "coverage"));
    text += fmt::format("  {} characters, {} different, {} outside ASCII\n", wholeAt(characters, "total"),
                        wholeAt(characters, "distinct"), wholeAt(characters, "not_ascii"));
    const Json& length = side.at("length");
    if (length.is_null()) return text;
    text += fmt::format("  words {} {}: min {}, median {}, mean {:.1f}, 95 % {}, max {}\n", unit == "line" ? "a" : "an", unit,
                        wholeAt(length, "min"), wholeAt(length, "median"), realAt(length, "mean"), wholeAt(length, "p95"),
                        wholeAt(length, "max"));
    text += histogramText(side.at("histogram"), "lines");
    text += fmt::format("  longest {}s:\n", unit);
    for (const Json& line : side.at("longest")) {
        const std::string head = fmt::format("    {} {} ({} words): ", unit, wholeAt(line, unit), wholeAt(line, "words"));
        text += head + clip(textAt(line, "text"), kColumns - static_cast<std::int64_t>(head.size())) + "\n";
    }
    return text + "  most frequent words:\n" + frequentText(side.at("frequent"));
}

std::string balanceText(const Json& balance) {
    if (balance.is_null()) return "  no labels\n";
    const Json& classes = balance.at("classes");
    std::vector<Json> sorted(classes.begin(), classes.end());
    const bool many = static_cast<std::int64_t>(sorted.size()) > kShownClasses;
    if (many)  // the most frequent ones, instead of the publisher's order
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const Json& a, const Json& b) { return a.at("count") > b.at("count"); });
    std::int64_t widest = 0, largest = 0, shown = 0;
    for (const Json& entry : sorted) {
        widest = std::max(widest, std::min<std::int64_t>(widthOf(textAt(entry, "label")), 30));
        largest = std::max(largest, wholeAt(entry, "count"));
    }
    std::string text =
        fmt::format("  majority class {}: {:.2f} %\n", textAt(balance, "majority"), 100 * realAt(balance, "majority_rate"));
    text += many ? fmt::format("  the {} most frequent of {} classes:\n", kShownClasses, sorted.size())
                 : fmt::format("  {} classes:\n", sorted.size());
    for (const Json& entry : sorted) {
        if (++shown > kShownClasses) break;
        const std::string label = clip(textAt(entry, "label"), 30);
        const auto padding = static_cast<std::size_t>(std::max<std::int64_t>(widest - widthOf(label), 0));
        const auto count = wholeAt(entry, "count");
        text += fmt::format("    {}{} {:>9} {:>6.2f} %  {}\n", label, std::string(padding, ' '), count,
                            100 * realAt(entry, "share"), bar(count, largest));
    }
    return text;
}

}  // namespace heddle::inspection
