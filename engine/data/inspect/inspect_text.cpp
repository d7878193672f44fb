// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect.h"

#include "engine/base/json.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heddle {
namespace {

std::int64_t wholeAt(const Json& object, const std::string& key) { return object.at(key).get<std::int64_t>(); }
double realAt(const Json& object, const std::string& key) { return object.at(key).get<double>(); }
std::string textAt(const Json& object, const std::string& key) { return object.at(key).get<std::string>(); }

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

/// The text with every line at most 120 columns wide, broken at spaces and indented further; wide characters count two.
std::string fitColumns(const std::string& text) {
    std::string fitted;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        fitted += fitLine(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return fitted;
}

/// The text truncated to `columns` columns, with "…" if truncated.
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

std::string numbersText(const std::string& what, const Json& numbers) {
    return fmt::format("  {}: min {:.4g}, median {:.4g}, mean {:.4g}, 95 % {:.4g}, max {:.4g}\n", what, realAt(numbers, "min"),
                       realAt(numbers, "median"), realAt(numbers, "mean"), realAt(numbers, "p95"), realAt(numbers, "max"));
}

std::string taskText(const Json& file) {
    std::string text;
    if (file.contains("labels")) text += balanceText(file.at("labels"));
    if (file.contains("scores"))
        text += file.at("scores").is_null() ? "  no scores\n" : numbersText("scores", file.at("scores"));
    if (file.contains("spans")) {
        std::string spans;
        for (const Json& span : file.at("spans"))
            spans += fmt::format("{}{} {}", spans.empty() ? "" : " · ", textAt(span, "type"), wholeAt(span, "count"));
        if (!spans.empty()) text += "  spans: " + spans + "\n";
    }
    if (file.contains("answers") && !file.at("answers").is_null())
        text += numbersText("answers a question", file.at("answers")) +
                fmt::format("  {} questions without an answer\n", wholeAt(file, "unanswered"));
    return text;
}

std::string normsText(const Json& words) {
    std::string text;
    for (const Json& entry : words)
        text += fmt::format("{}{} {:.3g}", text.empty() ? "" : " · ", clip(textAt(entry, "word"), 40), realAt(entry, "norm"));
    return text;
}

std::string examplesText(const Json& file, std::int64_t minCount) {
    std::string text = headText(file);
    const auto skipped = wholeAt(file, "skipped"), contradicting = wholeAt(file, "contradicting_labels");
    text += fmt::format("  {} examples{}, {} repeated{}\n", wholeAt(file, "examples"),
                        skipped > 0 ? fmt::format(" ({} left out)", skipped) : "", wholeAt(file, "duplicate_examples"),
                        contradicting > 0 ? fmt::format(", {} of them with another label", contradicting) : "");
    text += taskText(file);
    const std::string split = textAt(file, "split");
    text += fmt::format("  a word is {}\n", split == "characters" ? "a character"
                                            : split == "13a"      ? "what 13a splits"
                                                                  : "what stands between white space");
    for (const Json& side : file.at("sides")) {
        if (file.at("sides").size() > 1)
            text += fmt::format("  — {}: {} words —\n", textAt(side, "name"), wholeAt(side, "words"));
        else
            text += fmt::format("  {} words\n", wholeAt(side, "words"));
        const auto empty = wholeAt(side, "empty");
        if (empty > 0) text += fmt::format("  {} texts without a word\n", empty);
        text += sideText(side, minCount, "example");
    }
    return text;
}

std::string idxText(const Json& file) {
    std::string text = headText(file);
    if (file.contains("labels"))
        return text + fmt::format("  {} labels\n", wholeAt(file, "examples")) + balanceText(file.at("labels"));
    const Json& pixels = file.at("pixels");
    return text +
           fmt::format("  {} images of {} × {} pixels, {} repeated\n", wholeAt(file, "examples"), wholeAt(file, "rows"),
                       wholeAt(file, "columns"), wholeAt(file, "duplicate_examples")) +
           fmt::format("  pixels from 0 to 1: mean {:.4f}, standard deviation {:.4f}; {} grey levels, {:.1f} % are 0\n",
                       realAt(pixels, "mean"), realAt(pixels, "std"), wholeAt(pixels, "distinct"),
                       100 * realAt(pixels, "zero"));
}

std::string vectorsText(const Json& file) {
    const auto skipped = wholeAt(file, "skipped");
    std::string text = headText(file);
    text +=
        fmt::format("  {} words{}, {} numbers each ({})\n", wholeAt(file, "words"),
                    skipped > 0 ? fmt::format(" ({} left out)", skipped) : "", wholeAt(file, "dim"), textAt(file, "layout"));
    if (file.at("norm").is_null()) return text;
    text += numbersText("length of the vectors", file.at("norm"));
    text += fmt::format("  shortest: {}\n  longest: {}\n  first words:", normsText(file.at("shortest")),
                        normsText(file.at("longest")));
    for (const Json& word : file.at("first_words")) text += fmt::format(" {}", clip(word.get<std::string>(), 40));
    return text + "\n";
}

std::string linesText(const Json& file, std::int64_t minCount) {
    std::string text = headText(file);
    text += fmt::format(
        "  {} lines ({} empty, {} repeated), {} words, {} bytes\n"
        "  {} tokens with an <eos> a line, empty ones too: what task causal_lm predicts in blocks\n",
        wholeAt(file, "lines"), wholeAt(file, "empty_lines"), wholeAt(file, "duplicate_lines"), wholeAt(file, "words"),
        wholeAt(file, "bytes"), wholeAt(file, "tokens_with_eos"));
    if (file.at("split") == "characters")
        text += "  a word is a character: the text has no spaces between words, or --split says so\n";
    if (file.contains("documents"))
        text += fmt::format("  {} articles, {} headings\n", wholeAt(file, "documents"), wholeAt(file, "headings"));
    return text + sideText(file, minCount, "line");
}

std::string fileText(const Json& file, std::int64_t minCount) {
    if (file.contains("lines")) return linesText(file, minCount);
    if (file.contains("sides")) return examplesText(file, minCount);
    return file.contains("dim") ? vectorsText(file) : idxText(file);
}

std::string pairText(const Json& pair) {
    const std::string names = fmt::format("{} ↔ {}", textAt(pair, "source"), textAt(pair, "target"));
    if (pair.contains("problem")) return fmt::format("{}\n  DO NOT MATCH: {}\n", names, textAt(pair, "problem"));
    if (pair.contains("images")) return fmt::format("{}\n  {} images, each with a label\n", names, wholeAt(pair, "images"));
    const Json& ratio = pair.at("length_ratio");
    return fmt::format("{}\n  {} pairs ({} repeated, {} equal on both sides){}\n", names, wholeAt(pair, "lines"),
                       wholeAt(pair, "duplicate_pairs"), wholeAt(pair, "equal_lines"),
                       ratio.is_null() ? "" : fmt::format(", {:.2f} target words for a source word", ratio.get<double>()));
}

std::string splitText(const Json& splits) {
    return fmt::format("{} against {}\n  {} lines occur there too; {} running words are not in its vocabulary\n",
                       textAt(splits, "b"), textAt(splits, "a"), wholeAt(splits, "lines_of_b_in_a"),
                       wholeAt(splits, "words_of_b_unknown_in_a"));
}

std::string totalText(const Json& total) {
    const auto skipped = wholeAt(total, "skipped");
    return fmt::format("All {} files of {}\n  {} examples{}, {} characters ({} different), {} words ({} types)\n",
                       wholeAt(total, "files"), textAt(total, "format"), wholeAt(total, "examples"),
                       skipped > 0 ? fmt::format(" and {} left out", skipped) : "", wholeAt(total.at("characters"), "total"),
                       wholeAt(total.at("characters"), "distinct"), wholeAt(total, "words"), wholeAt(total, "word_types"));
}

}  // namespace

std::string inspectText(const Json& report) {
    std::string text;
    const auto minCount = wholeAt(report, "min_count");
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
    for (const Json& file : report.at("files")) add(fileText(file, minCount));
    for (const Json& pair : report.at("pairs")) add(pairText(pair));
    for (const Json& splits : report.at("splits")) add(splitText(splits));
    for (const Json& total : report.at("totals")) add(totalText(total));
    // Text from a file must not contain terminal control characters.
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; }, ' ');
    return fitColumns(text);
}

}  // namespace heddle
