// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/metric_summary.h"

#include <algorithm>
#include <array>

namespace heddle {

bool lowerIsBetter(std::string_view metric) { return metric == "loss" || metric == "objective" || metric == "perplexity"; }

int metricRank(std::string_view word) {
    constexpr std::array<std::string_view, 6> kOrder{"valid", "test", "train", "loss", "accuracy", "bleu"};
    return int(std::find(kOrder.begin(), kOrder.end(), word) - kOrder.begin());
}

}  // namespace heddle
