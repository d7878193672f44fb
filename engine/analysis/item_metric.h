// SPDX-License-Identifier: Apache-2.0
// Metrics of a test set that are a function of sums over its items (sentences, examples): what tests over items need, which
// leave items out, draw them again or exchange them.
#pragma once

#include "engine/metrics/bleu.h"
#include "engine/metrics/chrf.h"
#include "engine/metrics/classification.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// What the items of a test set add to the sums of a metric: `width` numbers of the first item, then of the second, ….
using ItemTerms = std::vector<double>;

struct ItemMetric {
    std::size_t width = 0;
    std::function<double(const std::vector<double>& sums)> score;  ///< of `width` sums
    /// Why the score is no smooth function of such sums, so that the jackknife says nothing; empty: it is. No function: it is
    /// always.
    std::function<std::string(const std::vector<double>& sums)> whyRough = nullptr;

    /// Throws std::invalid_argument where `terms` are not `width` numbers of each of one or more items.
    std::size_t itemsOf(const ItemTerms& terms) const;
    std::vector<double> sumsOf(const ItemTerms& terms) const;
};

/// Σ first ÷ Σ second: accuracy (right, 1), loss per token (nats, tokens), a mean over sentences (value, 1).
ItemMetric ratioMetric();

/// F1, 0 … 1, by the rule of "f1" in classificationValues(): of the positive class, or the mean of the classes that occur.
/// Rough where a class that counts has fewer than kFewestExamplesOfClass examples; `options` names every class.
ItemMetric f1Metric(const ClassificationOptions& options);
/// {right, predicted, wanted} of the positive class, or of every class; numbers below options.names.size().
ItemTerms f1Terms(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& predicted,
                  const ClassificationOptions& options);

inline constexpr std::int64_t kFewestExamplesOfClass = 10;

/// Corpus BLEU, and the terms of its sentences; `smooth` as in BleuOptions. Rough below kFewestMatches matching 4-grams.
ItemMetric bleuMetric(const std::string& smooth);
ItemTerms bleuTerms(const std::vector<BleuStatistics>& sentences);

/// Corpus chrF, and the terms of its sentences. Errors of chrfTerms() as of corpusChrf().
ItemMetric chrfMetric(const ChrfOptions& options);
ItemTerms chrfTerms(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                    const ChrfOptions& options);

}  // namespace heddle
