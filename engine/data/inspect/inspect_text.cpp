// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect.h"
#include "engine/data/inspect/inspect_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

using namespace inspection;

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
