// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/item_metric.h"

#include "engine/analysis/bleu_difference.h"
#include "engine/base/error.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
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
                           : fmt::format("{} 4-grams match, an interval needs {}", sums[5], kFewestMatches);
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
