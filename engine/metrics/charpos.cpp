// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/charpos.h"

#include "engine/base/unicode.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle {
namespace {

using Counts = std::map<std::vector<std::string>, std::int64_t>;

Counts countNgrams(const std::vector<std::string>& characters, std::size_t order) {
    Counts counts;
    for (auto begin = characters.begin(); begin + static_cast<std::ptrdiff_t>(order) <= characters.end(); ++begin)
        ++counts[{begin, begin + static_cast<std::ptrdiff_t>(order)}];
    return counts;
}

void addPair(const std::string& hypothesis, const std::string& reference, CharposScore& sum) {
    const std::vector<std::string> hypothesisCharacters = splitCodePoints(hypothesis),
                                   referenceCharacters = splitCodePoints(reference);
    sum.hypothesisCharacters += static_cast<std::int64_t>(hypothesisCharacters.size());
    sum.referenceCharacters += static_cast<std::int64_t>(referenceCharacters.size());
    for (std::size_t order = 1; order <= sum.matches.size() && order <= hypothesisCharacters.size(); ++order) {
        const Counts expected = countNgrams(referenceCharacters, order);
        for (const auto& [ngram, count] : countNgrams(hypothesisCharacters, order)) {
            sum.totals[order - 1] += count;
            const auto found = expected.find(ngram);
            if (found != expected.end()) sum.matches[order - 1] += std::min(count, found->second);
        }
    }
}

}  // namespace

CharposScore charpos(const std::vector<std::string>& hypothesis, const std::vector<std::string>& reference) {
    CharposScore result;
    for (std::size_t i = 0; i < std::min(hypothesis.size(), reference.size()); ++i)
        addPair(hypothesis[i], reference[i], result);

    double sumOfLogs = 0;
    for (std::size_t n = 0; n < result.matches.size(); ++n) {
        if (result.matches[n] == 0) return result;
        sumOfLogs += std::log(static_cast<double>(result.matches[n]) / static_cast<double>(result.totals[n]));
    }
    const auto c = static_cast<double>(result.hypothesisCharacters), r = static_cast<double>(result.referenceCharacters);
    result.score = 100 * std::exp(std::min(0.0, 1 - r / c) + sumOfLogs / 4);
    return result;
}

}  // namespace heddle
