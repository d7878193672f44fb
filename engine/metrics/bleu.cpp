// SPDX-License-Identifier: Apache-2.0
// Papineni et al. 2002, "BLEU: a method for automatic evaluation of machine translation": BLEU = BP · exp(¼ Σ log p_n),
// BP = min(1, exp(1 − r/c)). Smoothing "exp" is NIST's (Chen and Cherry 2014, method 3). Orders, early exits and operations
// follow sacreBLEU's compute_bleu, so that the numbers are equal.
#include "engine/metrics/bleu.h"

#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace heddle {
namespace {

constexpr std::size_t kOrders = 4;

/// Counts of the n-grams of one sentence; the key joins the words by a byte that never occurs in UTF-8.
using NgramCounts = std::unordered_map<std::string, std::int64_t>;

NgramCounts countNgrams(const std::vector<std::string>& words, std::size_t order) {
    NgramCounts counts;
    for (std::size_t begin = 0; begin + order <= words.size(); ++begin) {
        std::string key;
        for (std::size_t i = begin; i < begin + order; ++i) key.append(words[i]).push_back('\xFF');
        ++counts[key];
    }
    return counts;
}

BleuScore scoreOf(const BleuStatistics& statistics, const std::string& smooth) {
    BleuScore score;
    score.statistics = statistics;
    const auto c = static_cast<double>(statistics.hypothesisLength), r = static_cast<double>(statistics.referenceLength);
    if (c < r) score.brevityPenalty = c > 0 ? std::exp(1 - r / c) : 0;
    const auto& matches = statistics.matches;
    if (std::all_of(matches.begin(), matches.end(), [](std::int64_t m) { return m == 0; })) return score;

    double halvings = 1;
    for (std::size_t n = 0; n < kOrders && statistics.totals[n] > 0; ++n) {
        const auto total = static_cast<double>(statistics.totals[n]);
        if (matches[n] > 0)
            score.precisions[n] = 100.0 * static_cast<double>(matches[n]) / total;
        else if (smooth == "exp")
            score.precisions[n] = 100.0 / ((halvings *= 2) * total);
    }
    double sumOfLogs = 0;
    for (const double p : score.precisions) {
        if (p == 0) return score;
        sumOfLogs += std::log(p);
    }
    score.bleu = score.brevityPenalty * std::exp(sumOfLogs / kOrders);
    return score;
}

BleuScore scoreOfSentences(std::vector<BleuStatistics> sentences, const std::string& smooth) {
    BleuStatistics sum;
    for (const BleuStatistics& one : sentences) sum += one;
    BleuScore score = scoreOf(sum, smooth);
    score.sentences = std::move(sentences);
    score.smooth = smooth;
    return score;
}

void checkChoice(const std::string& value, const std::vector<std::string>& known, const std::string& option) {
    if (!contains(known, value))
        throwInvalid(fmt::format("unknown value \"{}\"", value), "bleu." + option,
                     fmt::format("use {}", fmt::join(known, ", ")));
}

void checkCounts(std::size_t hypotheses, std::size_t references) {
    if (hypotheses != references || references == 0)
        throwInvalid(fmt::format("{} hypotheses for {} references", hypotheses, references), "BLEU",
                     "score the same sentences, at least one");
}

std::string signatureOf(const std::string& casing, const std::string& tokenizer, const std::string& smooth) {
    return fmt::format("nrefs:1|case:{}|eff:no|tok:{}|smooth:{}|version:heddle-{}", casing, tokenizer, smooth, HEDDLE_VERSION);
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
    for (std::size_t n = 0; n < kOrders; ++n) matches[n] += other.matches[n], totals[n] += other.totals[n];
    hypothesisLength += other.hypothesisLength;
    referenceLength += other.referenceLength;
    return *this;
}

BleuStatistics& BleuStatistics::operator-=(const BleuStatistics& other) {
    for (std::size_t n = 0; n < kOrders; ++n) matches[n] -= other.matches[n], totals[n] -= other.totals[n];
    hypothesisLength -= other.hypothesisLength;
    referenceLength -= other.referenceLength;
    return *this;
}

BleuStatistics bleuStatistics(const std::vector<std::string>& hypothesis, const std::vector<std::string>& reference) {
    BleuStatistics sum;
    sum.hypothesisLength = static_cast<std::int64_t>(hypothesis.size());
    sum.referenceLength = static_cast<std::int64_t>(reference.size());
    for (std::size_t order = 1; order <= kOrders; ++order) {
        const NgramCounts expected = countNgrams(reference, order);
        for (const auto& [ngram, count] : countNgrams(hypothesis, order)) {
            sum.totals[order - 1] += count;
            const auto found = expected.find(ngram);
            if (found != expected.end()) sum.matches[order - 1] += std::min(count, found->second);
        }
    }
    return sum;
}

double bleuOf(const BleuStatistics& statistics, const std::string& smooth) { return scoreOf(statistics, smooth).bleu; }

std::vector<std::string> bleuWords(const std::string& line, const BleuOptions& options) {
    checkChoice(options.tokenize, {"13a", "none", "char"}, "tokenize");
    const std::string text(trimRight(options.lowercase ? toLower(line) : line));
    if (options.tokenize == "13a") return tokenize13a(text);
    if (options.tokenize == "none") return splitUnicodeSpace(text);
    std::vector<std::string> characters;
    for (const std::string& word : splitUnicodeSpace(text))
        for (std::string& character : splitCodePoints(word)) characters.push_back(std::move(character));
    return characters;
}

BleuScore corpusBleuTokens(const std::vector<std::vector<std::string>>& hypotheses,
                           const std::vector<std::vector<std::string>>& references, const std::string& smooth) {
    checkChoice(smooth, {"exp", "none"}, "smooth");
    checkCounts(hypotheses.size(), references.size());
    std::vector<BleuStatistics> sentences;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) sentences.push_back(bleuStatistics(hypotheses[i], references[i]));
    BleuScore score = scoreOfSentences(std::move(sentences), smooth);
    score.signature = signatureOf("mixed", "none", smooth);
    return score;
}

BleuScore corpusBleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                     const BleuOptions& options) {
    checkChoice(options.tokenize, {"13a", "none", "char"}, "tokenize");
    checkChoice(options.smooth, {"exp", "none"}, "smooth");
    checkCounts(hypotheses.size(), references.size());
    std::vector<BleuStatistics> sentences;
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
        sentences.push_back(bleuStatistics(bleuWords(hypotheses[i], options), bleuWords(references[i], options)));
    BleuScore score = scoreOfSentences(std::move(sentences), options.smooth);
    score.signature = signatureOf(options.lowercase ? "lc" : "mixed", options.tokenize, options.smooth);
    return score;
}

}  // namespace heddle
