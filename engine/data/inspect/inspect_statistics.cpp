// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect_statistics.h"

#include "engine/base/unicode.h"
#include "engine/data/tokenizers/vocabulary.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace heddle::data_report {
namespace {

constexpr std::int64_t kHistogramBins = 12;
constexpr std::size_t kShownCharacters = 100;

std::vector<std::string> wordsOf(const std::string& text, const std::string& split) {
    if (const auto named = choiceNamed<WordSplit>(split)) return splitWords(text, *named);
    std::vector<std::string> words;
    for (const std::string& part : splitUnicodeSpace(text))
        for (std::string& character : splitCodePoints(part)) words.push_back(std::move(character));
    return words;
}

/// Nearest-rank quantile of sorted values.
template <typename Value>
Value quantile(const std::vector<Value>& sorted, double q) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<std::size_t>(std::lround(q * last))];
}

template <typename Value>
std::optional<Summary<Value>> summarised(std::vector<Value> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const auto sum = static_cast<double>(std::accumulate(values.begin(), values.end(), Value{0}));
    return Summary<Value>{values.front(), quantile(values, 0.5), sum / static_cast<double>(values.size()),
                          quantile(values, 0.95), values.back()};
}

std::vector<SideReport::Bin> histogramOf(const std::vector<std::int64_t>& lengths) {
    std::vector<SideReport::Bin> bins;
    if (lengths.empty()) return bins;
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    const std::int64_t width = longest / kHistogramBins + 1;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(longest / width + 1));
    for (const std::int64_t length : lengths) ++counts[static_cast<std::size_t>(length / width)];
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        const auto from = static_cast<std::int64_t>(bin) * width;
        bins.push_back({from, from + width - 1, counts[bin]});
    }
    return bins;
}

void describeVocabulary(const WordCounts& words, std::int64_t minCount, SideReport& report) {
    std::int64_t covered = 0, total = 0;
    for (const auto& [word, count] : words) {
        total += count;
        report.once += count == 1 ? 1 : 0;
        report.kept += count >= minCount ? 1 : 0;
        covered += count >= minCount ? count : 0;
    }
    report.types = std::ssize(words);
    report.coverage = total == 0 ? 0.0 : static_cast<double>(covered) / static_cast<double>(total);
}

CountedWords frequentOf(const WordCounts& words, std::size_t count) {
    CountedWords sorted = byFrequency(words, 1);
    sorted.resize(std::min(count, sorted.size()));
    return sorted;
}

/// The first characters of a text.
std::string shorten(const std::string& text) {
    std::string shown;
    std::size_t count = 0;
    for (const std::string& character : splitCodePoints(text)) {
        if (++count > kShownCharacters) return shown + "…";
        shown += character;
    }
    return shown;
}

std::vector<SideReport::LongText> longestOf(const TextSide& side, std::size_t count) {
    std::vector<std::size_t> order(side.lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return side.lengths[a] > side.lengths[b]; });
    std::vector<SideReport::LongText> list;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
        list.push_back({static_cast<std::int64_t>(order[i]) + 1, side.lengths[order[i]], shorten(side.texts[order[i]])});
    return list;
}

}  // namespace

std::int64_t TextSide::wordTotal() const { return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}); }

std::string splitFor(const std::string& split, const std::vector<std::string>& texts) {
    if (split != "auto") return split;
    return hasSpaces(texts) ? "whitespace" : "characters";
}

TextSide countSide(std::vector<std::string> texts, const std::string& split, const InspectOptions& options) {
    TextSide side;
    side.texts = std::move(texts);
    for (const std::string& text : side.texts) {
        std::vector<std::string> words = wordsOf(options.lower ? toLower(text) : text, split);
        side.lengths.push_back(static_cast<std::int64_t>(words.size()));
        for (std::string& word : words) ++side.words[std::move(word)];
        for (std::string& character : splitCodePoints(text)) {
            ++side.characterTotal;
            side.notAscii += character.size() > 1 ? 1 : 0;
            side.characters.insert(std::move(character));
        }
    }
    return side;
}

SideReport describeSide(const TextSide& side, const InspectOptions& options) {
    SideReport report;
    report.words = side.wordTotal();
    report.length = summaryOf(side.lengths);
    report.histogram = histogramOf(side.lengths);
    describeVocabulary(side.words, options.minCount, report);
    report.characters = side.characterTotal;
    report.differentCharacters = std::ssize(side.characters);
    report.notAscii = side.notAscii;
    report.longest = longestOf(side, options.longest);
    report.frequent = frequentOf(side.words, options.frequent);
    return report;
}

std::optional<Summary<std::int64_t>> summaryOf(std::vector<std::int64_t> values) { return summarised(std::move(values)); }

std::optional<Summary<double>> summaryOf(std::vector<double> values) { return summarised(std::move(values)); }

std::optional<BalanceReport> describeBalance(const CountedWords& counts) {
    std::int64_t total = 0;
    const std::pair<std::string, std::int64_t>* most = nullptr;
    for (const auto& entry : counts) {
        total += entry.second;
        if (most == nullptr || entry.second > most->second) most = &entry;
    }
    if (total == 0) return std::nullopt;
    const auto share = [total](std::int64_t count) { return static_cast<double>(count) / static_cast<double>(total); };
    BalanceReport balance{{}, most->first, share(most->second)};
    for (const auto& [label, count] : counts) balance.classes.push_back({label, count, share(count)});
    return balance;
}

std::int64_t duplicates(const std::vector<std::string>& lines) {
    const std::unordered_set<std::string_view> distinct(lines.begin(), lines.end());
    return static_cast<std::int64_t>(lines.size() - distinct.size());
}

}  // namespace heddle::data_report
