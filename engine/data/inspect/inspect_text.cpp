// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect.h"

#include "engine/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heddle {
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

std::string histogramText(const std::vector<SideReport::Bin>& bins) {
    std::int64_t largest = 0;
    for (const auto& bin : bins) largest = std::max(largest, bin.texts);
    std::string text;
    for (const auto& bin : bins) {
        const std::string range = fmt::format("{}–{}", bin.from, bin.to);
        text += fmt::format("    {:>11} {:>9}  {}\n", range, bin.texts, bar(bin.texts, largest));
    }
    return text;
}

/// "word count" entries, wrapped.
std::string frequentText(const CountedWords& words) {
    std::string text, line;
    for (const auto& [word, count] : words) {
        const std::string item = fmt::format("{} {}", clip(word, 60), count);
        if (!line.empty() && widthOf(line) + widthOf(item) > 100) {
            text += "    " + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " · ") + item;
    }
    return line.empty() ? text : text + "    " + line + "\n";
}

std::string headText(const FileReport& file) {
    const auto* examples = std::get_if<ExamplesReport>(&file.body);
    std::string text = file.path + "\n";
    text += fmt::format("  format {}{}, recognised by {}\n", file.format,
                        examples && !examples->title.empty() ? " (" + examples->title + ")" : "", file.recognisedBy);
    text += fmt::format("  SHA-256 {}\n", file.sha256);
    for (const std::string& note : file.notes) text += "  note: " + note + "\n";
    return text;
}

/// `unit`: what one of its texts is called ("line", "example").
std::string sideText(const SideReport& side, std::int64_t minCount, const std::string& unit) {
    std::string text =
        fmt::format("  {} word types, {} of them once; {} occur at least {} times and cover {:.2f} % of the words\n",
                    side.types, side.once, side.kept, minCount, 100 * side.coverage);
    text += fmt::format("  {} characters, {} different, {} outside ASCII\n", side.characters, side.differentCharacters,
                        side.notAscii);
    if (!side.length) return text;
    const Summary<std::int64_t>& length = *side.length;
    text += fmt::format("  words {} {}: min {}, median {}, mean {:.1f}, 95 % {}, max {}\n", unit == "line" ? "a" : "an", unit,
                        length.min, length.median, length.mean, length.p95, length.max);
    text += histogramText(side.histogram);
    text += fmt::format("  longest {}s:\n", unit);
    for (const SideReport::LongText& line : side.longest) {
        const std::string head = fmt::format("    {} {} ({} words): ", unit, line.number, line.words);
        text += head + clip(line.text, kColumns - static_cast<std::int64_t>(head.size())) + "\n";
    }
    return text + "  most frequent words:\n" + frequentText(side.frequent);
}

std::string balanceText(const std::optional<BalanceReport>& balance) {
    if (!balance) return "  no labels\n";
    std::vector<BalanceReport::Class> sorted = balance->classes;
    const bool many = std::ssize(sorted) > kShownClasses;
    if (many)  // the most frequent ones, instead of the publisher's order
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    std::int64_t widest = 0, largest = 0, shown = 0;
    for (const auto& entry : sorted) {
        widest = std::max(widest, std::min<std::int64_t>(widthOf(entry.label), 30));
        largest = std::max(largest, entry.count);
    }
    std::string text = fmt::format("  majority class {}: {:.2f} %\n", balance->majority, 100 * balance->majorityRate);
    text += many ? fmt::format("  the {} most frequent of {} classes:\n", kShownClasses, sorted.size())
                 : fmt::format("  {} classes:\n", sorted.size());
    for (const auto& entry : sorted) {
        if (++shown > kShownClasses) break;
        const std::string label = clip(entry.label, 30);
        const auto padding = static_cast<std::size_t>(std::max<std::int64_t>(widest - widthOf(label), 0));
        text += fmt::format("    {}{} {:>9} {:>6.2f} %  {}\n", label, std::string(padding, ' '), entry.count, 100 * entry.share,
                            bar(entry.count, largest));
    }
    return text;
}

template <class Value>
std::string numbersText(const std::string& what, const Summary<Value>& numbers) {
    return fmt::format("  {}: min {:.4g}, median {:.4g}, mean {:.4g}, 95 % {:.4g}, max {:.4g}\n", what, double(numbers.min),
                       double(numbers.median), numbers.mean, double(numbers.p95), double(numbers.max));
}

std::string normsText(const VectorsReport::Norms& words) {
    std::string text;
    for (const auto& [word, norm] : words) text += fmt::format("{}{} {:.3g}", text.empty() ? "" : " · ", clip(word, 40), norm);
    return text;
}

std::string leftOutText(std::int64_t skipped) { return skipped > 0 ? fmt::format(" ({} left out)", skipped) : ""; }

/// What follows the head of a file.
struct BodyText {
    std::int64_t minCount;

    std::string operator()(const LinesReport& lines) const {
        std::string text = fmt::format(
            "  {} lines ({} empty, {} repeated), {} words, {} bytes\n"
            "  {} tokens with an <eos> a line, empty ones too: what task causal_lm predicts in blocks\n",
            lines.lines, lines.emptyLines, lines.duplicateLines, lines.side.words, lines.bytes, lines.tokensWithEos);
        if (lines.split == "characters")
            text += "  a word is a character: the text has no spaces between words, or --split says so\n";
        if (lines.articles)
            text += fmt::format("  {} articles, {} headings\n", lines.articles->documents, lines.articles->headings);
        return text + sideText(lines.side, minCount, "line");
    }
    std::string operator()(const ExamplesReport& file) const {
        std::string text =
            fmt::format("  {} examples{}, {} repeated{}\n", file.examples, leftOutText(file.skipped), file.duplicates,
                        file.contradicting > 0 ? fmt::format(", {} of them with another label", file.contradicting) : "");
        text += std::visit(*this, file.labels);
        text += fmt::format("  a word is {}\n", file.split == "characters" ? "a character"
                                                : file.split == "13a"      ? "what 13a splits"
                                                                           : "what stands between white space");
        for (const ExamplesReport::Side& one : file.sides) {
            if (file.sides.size() > 1)
                text += fmt::format("  — {}: {} words —\n", one.name, one.side.words);
            else
                text += fmt::format("  {} words\n", one.side.words);
            if (one.empty > 0) text += fmt::format("  {} texts without a word\n", one.empty);
            text += sideText(one.side, minCount, "example");
        }
        return text;
    }
    std::string operator()(const ClassReport& of) const { return balanceText(of.labels); }
    std::string operator()(const ScoreReport& of) const {
        return of.scores ? numbersText("scores", *of.scores) : "  no scores\n";
    }
    std::string operator()(const TagReport& of) const {
        std::string spans;
        for (const auto& [type, count] : of.spans) spans += fmt::format("{}{} {}", spans.empty() ? "" : " · ", type, count);
        return balanceText(of.labels) + (spans.empty() ? "" : "  spans: " + spans + "\n");
    }
    std::string operator()(const AnswerReport& of) const {
        if (!of.answers) return "";
        return numbersText("answers a question", *of.answers) +
               fmt::format("  {} questions without an answer\n", of.unanswered);
    }
    std::string operator()(const ImageLabelsReport& of) const {
        return fmt::format("  {} labels\n", of.examples) + balanceText(of.labels);
    }
    std::string operator()(const ImagesReport& of) const {
        return fmt::format("  {} images of {} × {} pixels, {} repeated\n", of.examples, of.rows, of.columns, of.duplicates) +
               fmt::format("  pixels from 0 to 1: mean {:.4f}, standard deviation {:.4f}; {} grey levels, {:.1f} % are 0\n",
                           of.mean, of.deviation, of.greyLevels, 100 * of.zeroShare);
    }
    std::string operator()(const VectorsReport& of) const {
        std::string text =
            fmt::format("  {} words{}, {} numbers each ({})\n", of.words, leftOutText(of.skipped), of.dim, of.layout);
        if (!of.norm) return text;
        text += numbersText("length of the vectors", *of.norm);
        text += fmt::format("  shortest: {}\n  longest: {}\n  first words:", normsText(of.shortest), normsText(of.longest));
        for (const std::string& word : of.firstWords) text += fmt::format(" {}", clip(word, 40));
        return text + "\n";
    }
};

struct PairText {
    std::string operator()(const TextPair& of) const {
        return fmt::format("  {} pairs ({} repeated, {} equal on both sides){}\n", of.lines, of.duplicatePairs, of.equalLines,
                           of.lengthRatio ? fmt::format(", {:.2f} target words for a source word", *of.lengthRatio) : "");
    }
    std::string operator()(const LabelledImages& of) const {
        return fmt::format("  {} images, each with a label\n", of.images);
    }
    std::string operator()(const Mismatch& of) const { return fmt::format("  DO NOT MATCH: {}\n", of.problem); }
};

std::string splitText(const SplitsReport& of) {
    return fmt::format("{} against {}\n  {} lines occur there too; {} running words are not in its vocabulary\n", of.b, of.a,
                       of.linesOfBInA, of.unknownWordsOfB);
}

std::string totalText(const TotalReport& of) {
    return fmt::format("All {} files of {}\n  {} examples{}, {} characters ({} different), {} words ({} types)\n", of.files,
                       of.format, of.examples, of.skipped > 0 ? fmt::format(" and {} left out", of.skipped) : "", of.characters,
                       of.differentCharacters, of.words, of.types);
}

}  // namespace

std::string inspectText(const DataReport& report) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
    for (const FileReport& file : report.files) add(headText(file) + std::visit(BodyText{report.minCount}, file.body));
    for (const PairReport& pair : report.pairs)
        add(fmt::format("{} ↔ {}\n", pair.source, pair.target) + std::visit(PairText(), pair.body));
    for (const SplitsReport& splits : report.splits) add(splitText(splits));
    for (const TotalReport& total : report.totals) add(totalText(total));
    // Text from a file must not contain terminal control characters.
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; }, ' ');
    return fitColumns(text);
}

}  // namespace heddle
