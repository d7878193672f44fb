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
        file.at("lines").get<std::int64_t>(), file.at("empty_lines").get<std::int64_t>(),
        file.at("duplicate_lines").get<std::int64_t>(), file.at("words").get<std::int64_t>(),
        file.at("bytes").get<std::int64_t>(), file.at("tokens_with_eos").get<std::int64_t>());
    if (file.at("split") == "characters")
        text += "  a word is a character: the text has no spaces between words, or --split says so\n";
    if (file.contains("documents"))
        text += fmt::format("  {} articles, {} headings\n", file.at("documents").get<std::int64_t>(),
                            file.at("headings").get<std::int64_t>());
    return text + sideText(file, minCount, "line");
}

std::string fileText(const Json& file, std::int64_t minCount) {
    if (file.contains("lines")) return linesText(file, minCount);
    if (file.contains("sides")) return examplesText(file, minCount);
    return file.contains("dim") ? vectorsText(file) : idxText(file);
}

std::string pairText(const Json& pair) {
    const std::string names =
        fmt::format("{} ↔ {}", pair.at("source").get<std::string>(), pair.at("target").get<std::string>());
    if (pair.contains("problem")) {
        const bool text = pair.at("problem").get<std::string>().starts_with("source");
        return fmt::format("{}\n  {}: {}\n", names, text ? "NOT PARALLEL" : "DO NOT BELONG TOGETHER",
                           pair.at("problem").get<std::string>());
    }
    if (pair.contains("images"))
        return fmt::format("{}\n  {} images, each with a label\n", names, pair.at("images").get<std::int64_t>());
    const Json& ratio = pair.at("length_ratio");
    return fmt::format("{}\n  {} pairs ({} repeated, {} equal on both sides){}\n", names, pair.at("lines").get<std::int64_t>(),
                       pair.at("duplicate_pairs").get<std::int64_t>(), pair.at("equal_lines").get<std::int64_t>(),
                       ratio.is_null() ? "" : fmt::format(", {:.2f} target words for a source word", ratio.get<double>()));
}

std::string splitText(const Json& splits) {
    return fmt::format("{} against {}\n  {} lines occur there too; {} running words are not in its vocabulary\n",
                       splits.at("b").get<std::string>(), splits.at("a").get<std::string>(),
                       splits.at("lines_of_b_in_a").get<std::int64_t>(),
                       splits.at("words_of_b_unknown_in_a").get<std::int64_t>());
}

std::string totalText(const Json& total) {
    const auto skipped = total.at("skipped").get<std::int64_t>();
    return fmt::format("All {} files of {}\n  {} examples{}, {} characters ({} different), {} words ({} types)\n",
                       total.at("files").get<std::int64_t>(), total.at("format").get<std::string>(),
                       total.at("examples").get<std::int64_t>(), skipped > 0 ? fmt::format(" and {} left out", skipped) : "",
                       total.at("characters").at("total").get<std::int64_t>(),
                       total.at("characters").at("distinct").get<std::int64_t>(), total.at("words").get<std::int64_t>(),
                       total.at("word_types").get<std::int64_t>());
}

}  // namespace

std::string inspectText(const Json& report) {
    std::string text;
    const auto minCount = report.at("min_count").get<std::int64_t>();
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
