// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/bleu_difference.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

PairedDifference bleuDifference(const std::vector<BleuStatistics>& before, const std::vector<BleuStatistics>& after,
                                const std::string& smooth) {
    BleuStatistics allBefore, allAfter;
    for (const BleuStatistics& one : before) allBefore += one;
    for (const BleuStatistics& one : after) allAfter += one;
    std::vector<LeftOut> leftOut;
    for (std::size_t i = 0; i < before.size(); ++i) {
        BleuStatistics restBefore = allBefore, restAfter = allAfter;
        restBefore -= before[i];
        restAfter -= after[i];
        leftOut.push_back({bleuOf(restAfter, smooth) - bleuOf(restBefore, smooth), before[i] != after[i]});
    }
    PairedDifference found = jackknifeDifference(bleuOf(allAfter, smooth) - bleuOf(allBefore, smooth), leftOut);
    const std::int64_t matches = std::min(allBefore.matches[3], allAfter.matches[3]);
    if (found.n >= kFewestExamples && matches < kFewestMatches) {
        found.interval.reset();
        found.whyNone = fmt::format("{} 4-grams match; an interval needs at least {}", matches, kFewestMatches);
    }
    return found;
}

}  // namespace heddle
