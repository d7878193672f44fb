// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"

#include <span>
#include <vector>

namespace heddle {

/// Totals of a language model over a text.
struct LanguageTotals {
    double nats = 0;                         ///< Σ −ln p of its tokens
    std::int64_t tokens = 0;                 ///< those that were predicted
    std::int64_t characters = 0, bytes = 0;  ///< of the same text before tokenization; 0: not known
};

/// "perplexity" (e to the mean nats) and "bits_per_token", and "bits_per_character" and "bits_per_byte" where the text's length
/// is known: those compare models with different tokenizers. NaN with a reason for no tokens or a sum that is not a number.
std::vector<MetricValue> languageValues(const LanguageTotals& totals);

}  // namespace heddle
