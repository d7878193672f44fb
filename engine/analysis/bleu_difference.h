// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/paired_difference.h"
#include "engine/metrics/bleu.h"

#include <string>
#include <vector>

namespace heddle {

/// The difference in corpus BLEU, 0 … 100, between two outputs for the same sentences, with the interval of
/// jackknifeDifference(). There is none below kFewestMatches matching 4-grams of either output: BLEU is then no smooth function
/// of its counts. The lists have the same length; `smooth` as in BleuOptions.
PairedDifference bleuDifference(const std::vector<BleuStatistics>& before, const std::vector<BleuStatistics>& after,
                                const std::string& smooth);

inline constexpr std::int64_t kFewestMatches = 10;

}  // namespace heddle
