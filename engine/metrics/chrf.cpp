// SPDX-License-Identifier: Apache-2.0
// Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation"; 2017, "chrF++: words helping character n-grams".
// chrF_β = (1 + β²) P R / (β² P + R), β = 2; P and R are means over the n-gram orders that both sides have. The operations
// follow sacreBLEU's CHRF, so that the numbers are equal.
#include "engine/metrics/chrf.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace heddle {
namespace {

constexpr double kBetaSquared = 4;
constexpr int kMaxOrder = 10;

/// A text and the positions of its units (characters or words). An n-gram reaches from the begin of one unit to the end of
/// another.
struct Units {
    std::string text;
    std::vector<std::size_t> begin, end;

    void append(std::string_view unit) {
        begin.push_back(text.size());
        text.append(unit);
        end.push_back(text.size());
    }
};

Units charactersOf(const std::string& line, const ChrfOptions& options) {
    Units units;
    const std::vector<std::string> pieces = options.whitespace ? std::vector{line} : splitUnicodeSpace(line);
    for (const std::string& piece : pieces)
        for (const std::string& character : splitCodePoints(piece)) units.append(character);
    return units;
}

/// Words with one punctuation mark split off: the last, else the first (so "(hi)" becomes "(hi" and ")").
Units wordsOf(const std::string& line) {
    Units units;
    const auto add = [&units](std::string_view word) {
        if (!units.text.empty()) units.text.push_back(' ');
        units.append(word);
    };
    for (const std::string& word : splitUnicodeSpace(line)) {
        const std::string_view all = word;
        const bool isLong = word.size() > 1;  // bytes: a longer character has no punctuation among its own
        const std::size_t cut = !isLong                            ? 0
                                : isAsciiPunctuation(word.back())  ? word.size() - 1
                                : isAsciiPunctuation(word.front()) ? 1
                                                                   : 0;
        if (cut > 0) add(all.substr(0, cut));
        add(all.substr(cut));
    }
    return units;
}

using Counts = std::unordered_map<std::string_view, std::int64_t>;

Counts countNgrams(const Units& units, std::size_t order) {
    Counts counts;
    for (std::size_t i = 0; i + order <= units.begin.size(); ++i)
        ++counts[std::string_view(units.text).substr(units.begin[i], units.end[i + order - 1] - units.begin[i])];
    return counts;
}

void addNgrams(const Units& hypothesis, const Units& reference, std::size_t order, std::array<std::int64_t, 3>& sum) {
    const Counts expected = countNgrams(reference, order);
    for (const auto& [ngram, count] : countNgrams(hypothesis, order)) {
        // As in sacreBLEU, orders that a short reference does not have do not lower the precision.
        if (!expected.empty()) sum[0] += count;
        const auto found = expected.find(ngram);
        if (found != expected.end()) sum[2] += std::min(count, found->second);
    }
    for (const auto& [ngram, count] : expected) sum[1] += count;
}

void checkOptions(const ChrfOptions& options) {
    if (options.characterOrder < 1 || options.characterOrder > kMaxOrder || options.wordOrder < 0 ||
        options.wordOrder > kMaxOrder)
        throwInvalid(fmt::format("orders {} of characters and {} of words", options.characterOrder, options.wordOrder), "chrF",
                     fmt::format("use orders 1 to {0} for characters and 0 to {0} for words", kMaxOrder));
}

}  // namespace

double chrfOf(const std::vector<std::array<std::int64_t, 3>>& statistics) {
    double precision = 0, recall = 0;
    int orders = 0;
    for (const auto& [hypothesis, reference, both] : statistics) {
        if (hypothesis == 0 || reference == 0) continue;
        precision += static_cast<double>(both) / static_cast<double>(hypothesis);
        recall += static_cast<double>(both) / static_cast<double>(reference);
        ++orders;
    }
    if (orders == 0 || precision + recall == 0) return 0;
    precision /= orders;
    recall /= orders;
    return 100 * ((1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall));
}

ChrfScore corpusChrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                     const ChrfOptions& options) {
    checkOptions(options);
    if (hypotheses.size() != references.size() || references.empty())
        throwInvalid(fmt::format("{} hypotheses for {} references", hypotheses.size(), references.size()), "chrF",
                     "score the same sentences, at least one");
    const auto characterOrder = static_cast<std::size_t>(options.characterOrder);
    const auto wordOrder = static_cast<std::size_t>(options.wordOrder);
    ChrfScore score;
    score.statistics.resize(characterOrder + wordOrder);
    for (std::size_t i = 0; i < references.size(); ++i) {
        const std::string hypothesis = options.lowercase ? toLower(hypotheses[i]) : hypotheses[i];
        const std::string reference = options.lowercase ? toLower(references[i]) : references[i];
        const Units hypothesisCharacters = charactersOf(hypothesis, options),
                    referenceCharacters = charactersOf(reference, options);
        for (std::size_t n = 1; n <= characterOrder; ++n)
            addNgrams(hypothesisCharacters, referenceCharacters, n, score.statistics[n - 1]);
        if (wordOrder == 0) continue;
        const Units hypothesisWords = wordsOf(hypothesis), referenceWords = wordsOf(reference);
        for (std::size_t n = 1; n <= wordOrder; ++n)
            addNgrams(hypothesisWords, referenceWords, n, score.statistics[characterOrder + n - 1]);
    }
    score.value.name = wordOrder == 0 ? "chrf" : "chrf++";
    score.value.value = chrfOf(score.statistics);
    score.value.n = static_cast<std::int64_t>(references.size());
    score.value.signature =
        fmt::format("nrefs:1|case:{}|eff:yes|nc:{}|nw:{}|space:{}|version:heddle-{}", options.lowercase ? "lc" : "mixed",
                    characterOrder, wordOrder, options.whitespace ? "yes" : "no", HEDDLE_VERSION);
    return score;
}

}  // namespace heddle
