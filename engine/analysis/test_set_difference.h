// SPDX-License-Identifier: Apache-2.0
// Two runs on one test set: paired bootstrap and approximate randomisation as sacreBLEU 2 does them (Post 2018; Koehn 2004;
// Riezler and Maxwell 2005), with its seed, so that p is the number that it prints for the same outputs.
//
// They cover test sentences alone (kCoversTestSentencesAlone): whether these two runs would differ on other sentences of the
// same kind. Another seed of the same variant may differ as much: two_level.h covers both.
#pragma once

#include "engine/analysis/item_metric.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

inline constexpr const char* kCoversTestSentencesAlone =
    "covers test sentences alone: two runs of one variant with unequal seeds may differ as much";

inline constexpr std::uint32_t kSacreBleuSeed = 12345;
inline constexpr std::int64_t kBootstrapSamples = 1000, kRandomisationTrials = 10'000;

/// A score over samples of the test set: its mean, and half the width of the interval with 95 % of them.
struct ResampledScore {
    double mean = 0, reach = 0;
};

struct TestSetDifference {
    double score = 0, scoreBaseline = 0;  ///< of the whole test set
    std::size_t items = 0;
    bool areEqual = false;  ///< no item differs. sacreBLEU's p is then its smallest, though nothing speaks for a difference
    double p = 1;           ///< two-sided, of "there is no difference"; never below 1 ÷ (samples + 1)
    std::optional<ResampledScore> resampled, resampledBaseline;  ///< of the bootstrap
};

/// The p of sacreBLEU's `--paired-bs`: the share of samples whose |difference| exceeds the mean of all by more than the
/// difference that was found. sacreBLEU sums in single precision: its means and reaches are equal to about 1e-5.
/// Throws std::invalid_argument for unequal numbers of items.
TestSetDifference pairedBootstrap(const ItemMetric& metric, const ItemTerms& variant, const ItemTerms& baseline);

/// The p of sacreBLEU's `--paired-ar`: the share of trials, in each of which every sentence changes places with probability ½,
/// with a larger |difference|. Throws std::invalid_argument for unequal numbers of items.
TestSetDifference approximateRandomisation(const ItemMetric& metric, const ItemTerms& variant, const ItemTerms& baseline);

/// "nrefs:1|bs:1000|seed:12345|case:mixed|…": the signature of a metric with that of the test, as sacreBLEU writes it. `test`:
/// "bs:1000" or "ar:10000".
std::string testSetSignature(const std::string& metricSignature, const std::string& test);

}  // namespace heddle
