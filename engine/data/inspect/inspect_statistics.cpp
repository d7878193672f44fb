// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect_statistics.h"

#include "engine/base/json.h"
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
Json describeSorted(const std::vector<Value>& sorted) {
    const auto sum = static_cast<double>(std::accumulate(sorted.begin(), sorted.end(), Value{0}));
    return {{"min", sorted.front()},
            {"median", quantile(sorted, 0.5)},
            {"mean", sum / static_cast<double>(sorted.size())},
            {"p95", quantile(sorted, 0.95)},
            {"max", sorted.back()}};
}

Json describeHistogram(const std::vector<std::int64_t>& lengths) {
    Json bins = Json::array();
    if (lengths.empty()) return bins;
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    const std::int64_t width = longest / kHistogramBins + 1;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(longest / width + 1));
    for (const std::int64_t length : lengths) ++counts[static_cast<std::size_t>(length / width)];
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        const auto from = static_cast<std::int64_t>(bin) * width;
        bins.push_back({{"from", from}, {"to", from + width - 1}, {"lines", counts[bin]}});
    }
    return bins;
}

Json describeVocabulary(const WordCounts& words, std::int64_t minCount) {
    std::int64_t once = 0, kept = 0, covered = 0, total = 0;
    for (const auto& [word, count] : words) {
        total += count;
        once += count == 1 ? 1 : 0;
        kept += count >= minCount ? 1 : 0;
        covered += count >= minCount ? count : 0;
    }
    return {{"types", words.size()},
            {"once", once},
            {"kept", kept},
            {"coverage", total == 0 ? 0.0 : static_cast<double>(covered) / static_cast<double>(total)}};
}

Json describeFrequent(const WordCounts& words, std::size_t count) {
    const std::vector<CountedEntry> sorted = byFrequency(words, 1);
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(count, sorted.size()); ++i)
        list.push_back({{"word", sorted[i].first}, {"count", sorted[i].second}});
    return list;
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

Json describeLongest(const TextSide& side, std::size_t count, const std::string& unit) {
    std::vector<std::size_t> order(side.lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return side.lengths[a] > side.lengths[b]; });
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
        list.push_back({{unit, order[i] + 1}, {"words", side.lengths[order[i]]}, {"text", shorten(side.texts[order[i]])}});
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

Json describeSide(const TextSide& side, const InspectOptions& options, const std::string& unit) {
    return {
        {"words", side.wordTotal()},
        {"length", describeLengths(side.lengths)},
        {"histogram", describeHistogram(side.lengths)},
        {"vocabulary", describeVocabulary(side.words, options.minCount)},
        {"characters", {{"total", side.characterTotal}, {"distinct", side.characters.size()}, {"not_ascii", side.notAscii}}},
        {"longest", describeLongest(side, options.longest, unit)},
        {"frequent", describeFrequent(side.words, options.frequent)}};
}

Json describeLengths(std::vector<std::int64_t> lengths) {
    if (lengths.empty()) return nullptr;
    std::sort(lengths.begin(), lengths.end());
    return describeSorted(lengths);
}

Json describeNumbers(std::vector<double> values) {
    if (values.empty()) return nullptr;
    std::sort(values.begin(), values.end());
    return describeSorted(values);
}

Json describeBalance(const std::vector<std::pair<std::string, std::int64_t>>& counts) {
    std::int64_t total = 0;
    const std::pair<std::string, std::int64_t>* most = nullptr;
    for (const auto& entry : counts) {
        total += entry.second;
        if (most == nullptr || entry.second > most->second) most = &entry;
    }
    if (total == 0) return nullptr;
    const auto share = [total](std::int64_t count) { return static_cast<double>(count) / static_cast<double>(total); };
    Json classes = Json::array();
    for (const auto& [label, count] : counts) classes.push_back({{"label", label}, {"count", count}, {"share", share(count)}});
    return {{"classes", classes}, {"majority", most->first}, {"majority_rate", share(most->second)}};
}

std::int64_t duplicates(const std::vector<std::string>& lines) {
    const std::unordered_set<std::string_view> distinct(lines.begin(), lines.end());
    return static_cast<std::int64_t>(lines.size() - distinct.size());
}

}  // namespace heddle::data_report
