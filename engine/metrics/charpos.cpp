// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/charpos.h"

#include "engine/base/unicode.h"
#include "engine/metrics/bleu.h"

#include <algorithm>
#include <cmath>

namespace heddle {
CharposScore charpos(const std::vector<std::string>& hypothesis, const std::vector<std::string>& reference) {
    BleuStatistics sum;
    for (std::size_t i = 0; i < std::min(hypothesis.size(), reference.size()); ++i)
        sum += bleuStatistics(splitCodePoints(hypothesis[i]), splitCodePoints(reference[i]));

    CharposScore result{0, sum.matches, sum.totals, sum.hypothesisLength, sum.referenceLength};
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
