// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect_statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::inspection {
namespace {

std::string numbersText(const std::string& what, const Json& numbers) {
    return fmt::format("  {}: min {:.4g}, median {:.4g}, mean {:.4g}, 95 % {:.4g}, max {:.4g}\n", what,
                       numbers.at("min").get<double>(), numbers.at("median").get<double>(), numbers.at("mean").get<double>(),
                       numbers.at("p95").get<double>(), numbers.at("max").get<double>());
}

std::string taskText(const Json& file) {
    std::string text;
    if (file.contains("labels")) text += balanceText(file.at("labels"));
    if (file.contains("scores"))
        text += file.at("scores").is_null() ? "  no scores\n" : numbersText("scores", file.at("scores"));
    if (file.contains("spans")) {
        std::string spans;
        for (const Json& span : file.at("spans"))
            spans += fmt::format("{}{} {}", spans.empty() ? "" : " · ", span.at("type").get<std::string>(),
                                 span.at("count").get<std::int64_t>());
        if (!spans.empty()) text += "  spans: " + spans + "\n";
    }
    if (file.contains("answers") && !file.at("answers").is_null())
        text += numbersText("answers a question", file.at("answers")) +
                fmt::format("  {} questions without an answer\n", file.at("unanswered").get<std::int64_t>());
    return text;
}

std::string normsText(const Json& words) {
    std::string text;
    for (const Json& entry : words)
        text += fmt::format("{}{} {:.3g}", text.empty() ? "" : " · ", clip(entry.at("word").get<std::string>(), 40),
                            entry.at("norm").get<double>());
    return text;
}

}  // namespace

std::string examplesText(const Json& file, std::int64_t minCount) {
    std::string text = headText(file);
    const auto skipped = file.at("skipped").get<std::int64_t>(),
               contradicting = file.at("contradicting_labels").get<std::int64_t>();
    text += fmt::format("  {} examples{}, {} repeated{}\n", file.at("examples").get<std::int64_t>(),
                        skipped > 0 ? fmt::format(" ({} left out)", skipped) : "",
                        file.at("duplicate_examples").get<std::int64_t>(),
                        contradicting > 0 ? fmt::format(", {} of them with another label", contradicting) : "");
    text += taskText(file);
    const std::string split = file.at("split").get<std::string>();
    text += fmt::format("  a word is {}\n", split == "characters" ? "a character"
                                            : split == "13a"      ? "what 13a splits"
                                                                  : "what stands between white space");
    for (const Json& side : file.at("sides")) {
        if (file.at("sides").size() > 1)
            text +=
                fmt::format("  — {}: {} words —\n", side.at("name").get<std::string>(), side.at("words").get<std::int64_t>());
        else
            text += fmt::format("  {} words\n", side.at("words").get<std::int64_t>());
        const auto empty = side.at("empty").get<std::int64_t>();
        if (empty > 0) text += fmt::format("  {} texts without a word\n", empty);
        text += sideText(side, minCount, "example");
    }
    return text;
}

std::string idxText(const Json& file) {
    std::string text = headText(file);
    if (file.contains("labels"))
        return text + fmt::format("  {} labels\n", file.at("examples").get<std::int64_t>()) + balanceText(file.at("labels"));
    const Json& pixels = file.at("pixels");
    return text +
           fmt::format("  {} images of {} × {} pixels, {} repeated\n", file.at("examples").get<std::int64_t>(),
                       file.at("rows").get<std::int64_t>(), file.at("columns").get<std::int64_t>(),
                       file.at("duplicate_examples").get<std::int64_t>()) +
           fmt::format("  pixels from 0 to 1: mean {:.4f}, standard deviation {:.4f}; {} grey levels, {:.1f} % are 0\n",
                       pixels.at("mean").get<double>(), pixels.at("std").get<double>(),
                       pixels.at("distinct").get<std::int64_t>(), 100 * pixels.at("zero").get<double>());
}

std::string vectorsText(const Json& file) {
    const auto skipped = file.at("skipped").get<std::int64_t>();
    std::string text = headText(file);
    text += fmt::format("  {} words{}, {} numbers each ({})\n", file.at("words").get<std::int64_t>(),
                        skipped > 0 ? fmt::format(" ({} left out)", skipped) : "", file.at("dim").get<std::int64_t>(),
                        file.at("layout").get<std::string>());
    if (file.at("norm").is_null()) return text;
    text += numbersText("length of the vectors", file.at("norm"));
    text += fmt::format("  shortest: {}\n  longest: {}\n  first words:", normsText(file.at("shortest")),
                        normsText(file.at("longest")));
    for (const Json& word : file.at("first_words")) text += fmt::format(" {}", clip(word.get<std::string>(), 40));
    return text + "\n";
}

}  // namespace heddle::inspection
