// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect_statistics.h"

#include <fmt/format.h>

namespace heddle::inspection {
namespace {

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

}  // namespace

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

}  // namespace heddle::inspection
