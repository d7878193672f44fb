// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect.h"

#include "engine/data/text_file.h"
#include "engine/data/tokenizer.h"
#include "engine/metrics/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace heddle {
namespace {

constexpr std::int64_t kHistogramBins = 12;
constexpr std::size_t kShownCharacters = 100;

using WordCounts = std::unordered_map<std::string, std::int64_t>;

/// One file, read once.
struct Inspected {
    TextFile file;
    std::vector<std::int64_t> lengths;  ///< words of each line
    WordCounts words;
};

Inspected inspectOne(const std::string& path, const InspectOptions& options) {
    Inspected result{readTextFile(path), {}, {}};
    for (const std::string& line : result.file.lines) {
        std::vector<std::string> words = splitWords(options.lower ? toLower(line) : line, options.split);
        result.lengths.push_back(static_cast<std::int64_t>(words.size()));
        for (std::string& word : words) ++result.words[std::move(word)];
    }
    return result;
}

/// Nearest-rank quantile of sorted values.
std::int64_t quantile(const std::vector<std::int64_t>& sorted, double q) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<std::size_t>(std::lround(q * last))];
}

Json describeLengths(std::vector<std::int64_t> lengths) {
    if (lengths.empty()) return nullptr;
    std::sort(lengths.begin(), lengths.end());
    const auto sum = static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
    return {{"min", lengths.front()},
            {"median", quantile(lengths, 0.5)},
            {"mean", sum / static_cast<double>(lengths.size())},
            {"p95", quantile(lengths, 0.95)},
            {"max", lengths.back()}};
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

Json describeCharacters(const std::vector<std::string>& lines) {
    std::int64_t total = 0, notAscii = 0;
    std::unordered_set<std::string> distinct;
    for (const std::string& line : lines)
        for (std::string& character : splitCodePoints(line)) {
            ++total;
            notAscii += character.size() > 1 ? 1 : 0;
            distinct.insert(std::move(character));
        }
    return {{"total", total}, {"distinct", distinct.size()}, {"not_ascii", notAscii}};
}

Json describeFrequent(const WordCounts& words, std::size_t count) {
    std::vector<std::pair<std::string, std::int64_t>> sorted(words.begin(), words.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
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

Json describeLongest(const Inspected& inspected, std::size_t count) {
    std::vector<std::size_t> order(inspected.lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return inspected.lengths[a] > inspected.lengths[b]; });
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
        list.push_back({{"line", order[i] + 1},
                        {"words", inspected.lengths[order[i]]},
                        {"text", shorten(inspected.file.lines[order[i]])}});
    return list;
}

std::int64_t duplicates(const std::vector<std::string>& lines) {
    const std::unordered_set<std::string_view> distinct(lines.begin(), lines.end());
    return static_cast<std::int64_t>(lines.size() - distinct.size());
}

Json describeFile(const Inspected& inspected, const InspectOptions& options) {
    const auto& [file, lengths, words] = inspected;
    return {{"path", file.path},
            {"sha256", file.sha256},
            {"bytes", file.bytes},
            {"lines", file.lines.size()},
            {"empty_lines", std::count(lengths.begin(), lengths.end(), 0)},
            {"duplicate_lines", duplicates(file.lines)},
            {"words", std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})},
            {"notes", file.notes},
            {"length", describeLengths(lengths)},
            {"histogram", describeHistogram(lengths)},
            {"vocabulary", describeVocabulary(words, options.minCount)},
            {"characters", describeCharacters(file.lines)},
            {"longest", describeLongest(inspected, options.longest)},
            {"frequent", describeFrequent(words, options.frequent)}};
}

/// "dir/train.en.gz" → {"dir/train", "en"}.
std::pair<std::string, std::string> stemAndLanguage(std::string path) {
    if (path.ends_with(".gz")) path.resize(path.size() - 3);
    const std::size_t dot = path.rfind('.');
    const std::size_t slash = path.rfind('/');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return {path, ""};
    return {path.substr(0, dot), path.substr(dot + 1)};
}

Json describePair(const Inspected& source, const Inspected& target) {
    Json pair{{"source", source.file.path}, {"target", target.file.path}};
    if (source.lengths.size() != target.lengths.size()) {
        pair["problem"] = fmt::format("source has {} lines, target has {}", source.lengths.size(), target.lengths.size());
        return pair;
    }
    std::int64_t sourceWords = 0, targetWords = 0, equal = 0;
    std::vector<std::string> both;
    for (std::size_t i = 0; i < source.lengths.size(); ++i) {
        sourceWords += source.lengths[i];
        targetWords += target.lengths[i];
        equal += source.file.lines[i] == target.file.lines[i] ? 1 : 0;
        both.push_back(source.file.lines[i] + '\n' + target.file.lines[i]);
    }
    pair["lines"] = source.lengths.size();
    pair["length_ratio"] =
        sourceWords == 0 ? Json() : Json(static_cast<double>(targetWords) / static_cast<double>(sourceWords));
    pair["equal_lines"] = equal;
    pair["duplicate_pairs"] = duplicates(both);
    return pair;
}

Json describeSplits(const Inspected& a, const Inspected& b, std::int64_t minCount) {
    const std::unordered_set<std::string_view> known(a.file.lines.begin(), a.file.lines.end());
    const auto repeated = std::count_if(b.file.lines.begin(), b.file.lines.end(),
                                        [&](const std::string& line) { return !line.empty() && known.contains(line); });
    std::int64_t unknown = 0;
    for (const auto& [word, count] : b.words) {
        const auto found = a.words.find(word);
        if (found == a.words.end() || found->second < minCount) unknown += count;
    }
    return {{"a", a.file.path}, {"b", b.file.path}, {"lines_of_b_in_a", repeated}, {"words_of_b_unknown_in_a", unknown}};
}

}  // namespace

Json inspectFiles(const std::vector<std::string>& paths, const InspectOptions& options) {
    std::vector<Inspected> all;
    for (const std::string& path : paths) all.push_back(inspectOne(path, options));

    Json files = Json::array(), pairs = Json::array(), splits = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        files.push_back(describeFile(all[i], options));
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            const auto a = stemAndLanguage(paths[i]), b = stemAndLanguage(paths[j]);
            const bool onlyTwo = all.size() == 2 && all[i].lengths.size() == all[j].lengths.size();
            if ((a.first == b.first && a.second != b.second) || onlyTwo)
                pairs.push_back(describePair(all[i], all[j]));
            else if (a.second == b.second)
                splits.push_back(describeSplits(all[i], all[j], options.minCount));
        }
    }
    return {{"schema", "heddle.data/1"},
            {"split", options.split},
            {"lower", options.lower},
            {"min_count", options.minCount},
            {"files", files},
            {"pairs", pairs},
            {"splits", splits}};
}

}  // namespace heddle
