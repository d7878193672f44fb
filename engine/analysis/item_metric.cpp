// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/item_metric.h"

#include "engine/analysis/bleu_difference.h"
#include "engine/base/error.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>

namespace heddle {

std::size_t ItemMetric::itemsOf(const ItemTerms& terms) const {
    if (terms.empty() || terms.size() % width != 0)
        throw std::invalid_argument(fmt::format("{} terms for items of {} each", terms.size(), width));
    return terms.size() / width;
}

std::vector<double> ItemMetric::sumsOf(const ItemTerms& terms) const {
    std::vector<double> sums(width);
    const std::size_t numbers = itemsOf(terms) * width;
    for (std::size_t i = 0; i < numbers; ++i) sums[i % width] += terms[i];
    return sums;
}

ItemMetric ratioMetric() {
    return {2, [](const std::vector<double>& sums) { return sums[0] / sums[1]; }};
}

namespace {

/// The classes whose F1 counts.
std::vector<std::int64_t> scoredClasses(const ClassificationOptions& options) {
    if (options.positive) return {*options.positive};
    std::vector<std::int64_t> all(options.names.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::vector<ClassScore> classScores(const std::vector<double>& sums) {
    std::vector<ClassScore> scores;
    for (std::size_t i = 0; i < sums.size(); i += 3)
        scores.push_back(classScore(std::int64_t(sums[i]), std::int64_t(sums[i + 1]), std::int64_t(sums[i + 2])));
    return scores;
}

}  // namespace

ItemMetric f1Metric(const ClassificationOptions& options) {
    const std::vector<std::int64_t> classes = scoredClasses(options);
    std::vector<std::string> names;
    for (const std::int64_t c : classes) names.push_back(options.names.at(std::size_t(c)));
    return {3 * classes.size(), [](const std::vector<double>& sums) { return macroF1(classScores(sums)); },
            [names](const std::vector<double>& sums) -> std::string {
                const std::vector<ClassScore> scores = classScores(sums);
                for (std::size_t i = 0; i < scores.size(); ++i)
                    if (scores[i].truth + scores[i].predicted > 0 && scores[i].truth < kFewestExamplesOfClass)
                        return fmt::format("{} items belong to class {}; an interval needs at least {}", scores[i].truth,
                                           names[i], kFewestExamplesOfClass);
                return "";
            }};
}

ItemTerms f1Terms(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& predicted,
                  const ClassificationOptions& options) {
    const std::vector<std::int64_t> classes = scoredClasses(options);
    ItemTerms terms;
    for (std::size_t i = 0; i < truth.size(); ++i)
        for (const std::int64_t c : classes) {
            const bool isPredicted = predicted.at(i) == c, isWanted = truth[i] == c;
            terms.insert(terms.end(), {double(isPredicted && isWanted), double(isPredicted), double(isWanted)});
        }
    return terms;
}

ItemMetric bleuMetric(const std::string& smooth) {
    return {10,
            [smooth](const std::vector<double>& sums) {
                BleuStatistics statistics;
                statistics.hypothesisLength = std::int64_t(sums[0]);
                statistics.referenceLength = std::int64_t(sums[1]);
                for (std::size_t n = 0; n < 4; ++n) {
                    statistics.matches[n] = std::int64_t(sums[2 + n]);
                    statistics.totals[n] = std::int64_t(sums[6 + n]);
                }
                return bleuOf(statistics, smooth);
            },
            [](const std::vector<double>& sums) {
                return sums[5] >= double(kFewestMatches)
                           ? ""
                           : fmt::format("{} 4-grams match; an interval needs at least {}", sums[5], kFewestMatches);
            }};
}

ItemTerms bleuTerms(const std::vector<BleuStatistics>& sentences) {
    ItemTerms terms;
    for (const BleuStatistics& one : sentences) {
        terms.insert(terms.end(), {double(one.hypothesisLength), double(one.referenceLength)});
        terms.insert(terms.end(), one.matches.begin(), one.matches.end());
        terms.insert(terms.end(), one.totals.begin(), one.totals.end());
    }
    return terms;
}

ItemMetric chrfMetric(const ChrfOptions& options) {
    const auto orders = std::size_t(options.characterOrder + options.wordOrder);
    return {3 * orders, [orders](const std::vector<double>& sums) {
                std::vector<std::array<std::int64_t, 3>> statistics(orders);
                for (std::size_t i = 0; i < sums.size(); ++i) statistics[i / 3][i % 3] = std::int64_t(sums[i]);
                return chrfOf(statistics);
            }};
}

ItemTerms chrfTerms(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                    const ChrfOptions& options) {
    if (hypotheses.size() != references.size())
        throwInvalid(fmt::format("{} hypotheses for {} references", hypotheses.size(), references.size()), "chrF",
                     "score the same set of sentences");
    ItemTerms terms;
    for (std::size_t i = 0; i < references.size(); ++i)
        for (const auto& counts : corpusChrf({hypotheses[i]}, {references[i]}, options).statistics)
            terms.insert(terms.end(), counts.begin(), counts.end());
    return terms;
}

}  // namespace heddle
