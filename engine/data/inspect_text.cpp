// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect.h"
#include "engine/metrics/unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr std::int64_t kBarColumns = 40;
constexpr std::size_t kLineColumns = 100;

std::string bar(std::int64_t value, std::int64_t largest) {
    std::string text;
    for (std::int64_t i = 0; i < value * kBarColumns / std::max<std::int64_t>(largest, 1); ++i) text += "█";
    return text.empty() && value > 0 ? "▏" : text;
}

std::string histogramText(const Json& bins) {
    std::int64_t largest = 0;
    for (const Json& bin : bins) largest = std::max(largest, bin.at("lines").get<std::int64_t>());
    std::string text;
    for (const Json& bin : bins) {
        const auto lines = bin.at("lines").get<std::int64_t>();
        const std::string range = fmt::format("{}–{}", bin.at("from").get<std::int64_t>(), bin.at("to").get<std::int64_t>());
        text += fmt::format("    {:>11} {:>9}  {}\n", range, lines, bar(lines, largest));
    }
    return text;
}

/// "word count" entries, wrapped.
std::string frequentText(const Json& words) {
    std::string text, line;
    for (const Json& entry : words) {
        const std::string item =
            fmt::format("{} {}", entry.at("word").get<std::string>(), entry.at("count").get<std::int64_t>());
        if (!line.empty() && static_cast<std::size_t>(countCodePoints(line + item)) > kLineColumns) {
            text += "    " + line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " · ") + item;
    }
    return line.empty() ? text : text + "    " + line + "\n";
}

std::string fileText(const Json& file, std::int64_t minCount) {
    const Json& vocabulary = file.at("vocabulary");
    const Json& characters = file.at("characters");
    std::string text = file.at("path").get<std::string>() + "\n";
    text += fmt::format("  {} lines ({} empty, {} repeated), {} words, {} bytes\n", file.at("lines").get<std::int64_t>(),
                        file.at("empty_lines").get<std::int64_t>(), file.at("duplicate_lines").get<std::int64_t>(),
                        file.at("words").get<std::int64_t>(), file.at("bytes").get<std::int64_t>());
    text += fmt::format("  {} word types, {} of them once; {} occur at least {} times and cover {:.2f} % of the words\n",
                        vocabulary.at("types").get<std::int64_t>(), vocabulary.at("once").get<std::int64_t>(),
                        vocabulary.at("kept").get<std::int64_t>(), minCount, 100 * vocabulary.at("coverage").get<double>());
    text += fmt::format("  {} characters, {} different, {} outside ASCII\n", characters.at("total").get<std::int64_t>(),
                        characters.at("distinct").get<std::int64_t>(), characters.at("not_ascii").get<std::int64_t>());
    text += fmt::format("  SHA-256 {}\n", file.at("sha256").get<std::string>());
    for (const Json& note : file.at("notes")) text += "  note: " + note.get<std::string>() + "\n";
    const Json& length = file.at("length");
    if (length.is_null()) return text;
    text +=
        fmt::format("  words a line: min {}, median {}, mean {:.1f}, 95 % {}, max {}\n", length.at("min").get<std::int64_t>(),
                    length.at("median").get<std::int64_t>(), length.at("mean").get<double>(),
                    length.at("p95").get<std::int64_t>(), length.at("max").get<std::int64_t>());
    text += histogramText(file.at("histogram"));
    text += "  longest lines:\n";
    for (const Json& line : file.at("longest"))
        text += fmt::format("    line {} ({} words): {}\n", line.at("line").get<std::int64_t>(),
                            line.at("words").get<std::int64_t>(), line.at("text").get<std::string>());
    return text + "  most frequent words:\n" + frequentText(file.at("frequent"));
}

std::string pairText(const Json& pair) {
    const std::string names =
        fmt::format("{} ↔ {}", pair.at("source").get<std::string>(), pair.at("target").get<std::string>());
    if (pair.contains("problem")) return fmt::format("{}\n  NOT PARALLEL: {}\n", names, pair.at("problem").get<std::string>());
    const Json& ratio = pair.at("length_ratio");
    return fmt::format("{}\n  {} pairs ({} repeated, {} equal on both sides){}\n", names, pair.at("lines").get<std::int64_t>(),
                       pair.at("duplicate_pairs").get<std::int64_t>(), pair.at("equal_lines").get<std::int64_t>(),
                       ratio.is_null() ? "" : fmt::format(", {:.2f} target words for a source word", ratio.get<double>()));
}

std::string splitText(const Json& splits) {
    return fmt::format("{} against {}\n  {} lines occur there too; {} words are not in its vocabulary\n",
                       splits.at("b").get<std::string>(), splits.at("a").get<std::string>(),
                       splits.at("lines_of_b_in_a").get<std::int64_t>(),
                       splits.at("words_of_b_unknown_in_a").get<std::int64_t>());
}

}  // namespace

std::string inspectText(const Json& report) {
    std::string text;
    const auto minCount = report.at("min_count").get<std::int64_t>();
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
    for (const Json& file : report.at("files")) add(fileText(file, minCount));
    for (const Json& pair : report.at("pairs")) add(pairText(pair));
    for (const Json& splits : report.at("splits")) add(splitText(splits));
    // Words and lines of a file must not be able to steer a terminal.
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; }, ' ');
    return text;
}

}  // namespace heddle
