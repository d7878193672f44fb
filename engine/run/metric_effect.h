// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/paired_difference.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// A metric of a model without and with interventions.
struct MetricEffect {
    std::string metric, signature;
    std::int64_t n = 0;  ///< tokens or examples, see the signature
    double trained = 0, intervened = 0;
    /// Over the examples: for loss and accuracy by pairedDifference(), for BLEU by bleuDifference().
    std::optional<DifferenceInterval> interval = {};
    std::string whyNoInterval = {};  ///< empty: there is one
    /// In a ranking: the interval at level 1 − 0.05 ÷ m for the m changes that it tries, so that at 95 % all of them hold
    /// together (Bonferroni), and the p of `interval` by Holm's correction for them. Where there is an interval of loss or
    /// accuracy.
    std::optional<DifferenceInterval> simultaneous = {};
    std::optional<double> corrected = {};
    double difference() const { return intervened - trained; }
};

}  // namespace heddle
