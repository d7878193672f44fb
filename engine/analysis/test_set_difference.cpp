// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/test_set_difference.h"

#include "engine/analysis/numpy_random.h"
#include "engine/analysis/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace heddle {
namespace {

TestSetDifference scored(const ItemMetric& metric, const ItemTerms& variant, const ItemTerms& baseline) {
    TestSetDifference result;
    result.items = metric.itemsOf(variant);
    if (metric.itemsOf(baseline) != result.items)
        throw std::invalid_argument(fmt::format("outputs for {} and {} items", result.items, metric.itemsOf(baseline)));
    result.areEqual = variant == baseline;
    result.score = metric.score(metric.sumsOf(variant));
    result.scoreBaseline = metric.score(metric.sumsOf(baseline));
    return result;
}

void addItem(std::vector<double>& sums, const ItemTerms& terms, std::size_t item) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += terms[item * sums.size() + k];
}

/// sacreBLEU's estimate_ci().
ResampledScore resampledScore(std::vector<double> scores) {
    std::sort(scores.begin(), scores.end());
    const std::size_t low = scores.size() / 40;
    return {meanOf(scores), (scores[scores.size() - low - 1] - scores[low]) / 2};
}

/// The share of `statistics` above the difference that was found, with that one counted among them.
double shareAbove(const std::vector<double>& statistics, double found) {
    const auto above = std::count_if(statistics.begin(), statistics.end(), [found](double one) { return one > found; });
    return (double(above) + 1) / (double(statistics.size()) + 1);
}

}  // namespace

TestSetDifference pairedBootstrap(const ItemMetric& metric, const ItemTerms& variant, const ItemTerms& baseline) {
    TestSetDifference result = scored(metric, variant, baseline);
    NumpyRandom random(kSacreBleuSeed);
    std::vector<double> scores, scoresBaseline, differences;
    for (std::int64_t sample = 0; sample < kBootstrapSamples; ++sample) {
        std::vector<double> sums(metric.width), sumsBaseline(metric.width);
        for (std::size_t i = 0; i < result.items; ++i) {
            const std::size_t item = random.below(std::uint32_t(result.items));
            addItem(sums, variant, item);
            addItem(sumsBaseline, baseline, item);
        }
        scores.push_back(metric.score(sums));
        scoresBaseline.push_back(metric.score(sumsBaseline));
        differences.push_back(std::abs(scores.back() - scoresBaseline.back()));
    }
    const double mean = meanOf(differences);
    for (double& one : differences) one -= mean;
    result.p = shareAbove(differences, std::abs(result.score - result.scoreBaseline));
    result.resampled = resampledScore(std::move(scores));
    result.resampledBaseline = resampledScore(std::move(scoresBaseline));
    return result;
}

TestSetDifference approximateRandomisation(const ItemMetric& metric, const ItemTerms& variant, const ItemTerms& baseline) {
    TestSetDifference result = scored(metric, variant, baseline);
    NumpyRandom random(kSacreBleuSeed);
    std::vector<double> differences;
    for (std::int64_t trial = 0; trial < kRandomisationTrials; ++trial) {
        std::vector<double> sums(metric.width), others(metric.width);
        for (std::size_t item = 0; item < result.items; ++item) {
            const bool takesBaseline = random.coin();
            addItem(sums, takesBaseline ? baseline : variant, item);
            addItem(others, takesBaseline ? variant : baseline, item);
        }
        differences.push_back(std::abs(metric.score(sums) - metric.score(others)));
    }
    result.p = shareAbove(differences, std::abs(result.score - result.scoreBaseline));
    return result;
}

std::string testSetSignature(const std::string& metricSignature, const std::string& test) {
    const std::size_t end = std::min(metricSignature.find('|'), metricSignature.size());
    return fmt::format("{}|{}|seed:{}{}", metricSignature.substr(0, end), test, kSacreBleuSeed, metricSignature.substr(end));
}

}  // namespace heddle
