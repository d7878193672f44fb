// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/metrics/metric.h"

#include <span>
#include <vector>

namespace heddle {

/// Pearson's r of pairs, as scipy.stats.pearsonr. NaN with a reason, never 0, for fewer than two pairs, a side that is
/// constant, or a number that is not finite. Throws Error(InvalidInput) for unequal lengths.
MetricValue pearson(std::span<const double> a, std::span<const double> b);

/// Spearman's ρ: Pearson's r of the ranks, as scipy.stats.spearmanr. The rest as pearson().
MetricValue spearman(std::span<const double> a, std::span<const double> b);

/// "pearson_spearman": the mean of both, as STS-B is reported (variants.md E16). NaN where one of them is.
MetricValue pearsonSpearman(std::span<const double> a, std::span<const double> b);

/// Ranks from 1; equal values share the mean of their ranks. Values must be numbers.
std::vector<double> averageRanks(std::span<const double> values);

}  // namespace heddle
