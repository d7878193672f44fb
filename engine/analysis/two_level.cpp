// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/two_level.h"

#include "engine/analysis/distributions.h"
#include "engine/analysis/paired_difference.h"
#include "engine/analysis/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle {
namespace {

/// A value of each item of each run.
using Matrix = std::vector<std::vector<double>>;

/// The jackknife's pseudovalues n θ − (n−1) θ₋ᵢ of a run, moved so that their mean is its score θ.
std::vector<double> pseudovalues(const ItemMetric& metric, const ItemTerms& terms) {
    const std::size_t n = metric.itemsOf(terms);
    const std::vector<double> sums = metric.sumsOf(terms);
    std::vector<double> values(n), rest(metric.width);
    const double score = metric.score(sums);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < metric.width; ++k) rest[k] = sums[k] - terms[i * metric.width + k];
        values[i] = -(double(n) - 1) * metric.score(rest);
        mean += values[i] / double(n);
    }
    for (double& value : values) value += score - mean;
    return values;
}

/// Runs × items of one variant, or of the differences of pairs.
struct Layout {
    std::vector<double> runs, items;  ///< means of rows and of columns
    double mean = 0;
    double seeds = 0;  ///< variance of the mean over other seeds, with these items
    double both = 0;   ///< what single answers of single runs add to it

    explicit Layout(const Matrix& values) : items(values.front().size()) {
        const auto s = double(values.size()), n = double(items.size());
        for (const auto& row : values) {
            runs.push_back(meanOf(row));
            for (std::size_t i = 0; i < row.size(); ++i) items[i] += row[i] / s;
        }
        mean = meanOf(runs);
        double between = 0, rest = 0;
        for (std::size_t run = 0; run < values.size(); ++run) {
            between += (runs[run] - mean) * (runs[run] - mean);
            for (std::size_t i = 0; i < items.size(); ++i) {
                const double e = values[run][i] - runs[run] - items[i] + mean;
                rest += e * e;
            }
        }
        seeds = between / ((s - 1) * s);
        both = rest / ((s - 1) * (n - 1)) / (s * n);
    }
};

/// The runs that are compared, at equal places in pairs.
struct Compared {
    std::vector<const ItemTerms*> variant, baseline;
};

Compared comparedRuns(const SeedItems& variant, const SeedItems& baseline, SeedTest test, std::vector<std::uint64_t>& alone) {
    Compared compared;
    const auto take = [&](const SeedItems& own, const SeedItems& other, std::vector<const ItemTerms*>& taken) {
        for (const auto& [seed, terms] : own)
            if (test == SeedTest::Welch || other.contains(seed))
                taken.push_back(&terms);
            else
                alone.push_back(seed);
    };
    take(variant, baseline, compared.variant);
    take(baseline, variant, compared.baseline);
    std::sort(alone.begin(), alone.end());
    return compared;
}

/// Items whose terms are not the same in all runs.
std::size_t changedItems(const Compared& runs, std::size_t items, std::size_t width) {
    std::size_t changed = 0;
    for (std::size_t i = 0; i < items; ++i) {
        const auto isAsFirst = [&](const ItemTerms* terms) {
            return std::equal(terms->begin() + std::ptrdiff_t(i * width), terms->begin() + std::ptrdiff_t((i + 1) * width),
                              runs.variant.front()->begin() + std::ptrdiff_t(i * width));
        };
        changed += std::all_of(runs.variant.begin(), runs.variant.end(), isAsFirst) &&
                           std::all_of(runs.baseline.begin(), runs.baseline.end(), isAsFirst)
                       ? 0
                       : 1;
    }
    return changed;
}

std::string whyTooFew(const Compared& runs, std::size_t items, const ItemMetric& metric) {
    const std::size_t least = std::min(runs.variant.size(), runs.baseline.size());
    if (least < 2)
        return fmt::format("an interval over seeds needs at least two runs of each variant; one of them has {}", least);
    if (items < std::size_t(kFewestExamples))
        return fmt::format("an interval needs at least {} items; there are {}", kFewestExamples, items);
    if (const std::size_t changed = changedItems(runs, items, metric.width); changed < std::size_t(kFewestChanged))
        return fmt::format("the runs differ in {} of {} items; an interval needs at least {}", changed, items, kFewestChanged);
    for (const auto* side : {&runs.variant, &runs.baseline})
        for (const ItemTerms* terms : *side)
            if (const std::string why = metric.whyRough ? metric.whyRough(metric.sumsOf(*terms)) : ""; !why.empty()) return why;
    return "";
}

double meanScore(const ItemMetric& metric, const std::vector<const ItemTerms*>& runs) {
    std::vector<double> scores;
    for (const ItemTerms* terms : runs) scores.push_back(metric.score(metric.sumsOf(*terms)));
    return meanOf(scores);
}

Matrix valuesOf(const ItemMetric& metric, const std::vector<const ItemTerms*>& runs) {
    Matrix all;
    for (const ItemTerms* terms : runs) all.push_back(pseudovalues(metric, *terms));
    return all;
}

/// Each of the variances of a mean over seeds, with its degrees of freedom (Satterthwaite 1946, Hillis 2007).
void setErrors(TwoLevelDifference& result, const std::vector<Layout>& layouts) {
    const std::size_t items = layouts.front().items.size();
    double seeds = 0, both = 0, squares = 0, scatter = 0;
    for (const Layout& layout : layouts) {
        seeds += layout.seeds;
        both += layout.both;
        squares += layout.seeds * layout.seeds / (double(layout.runs.size()) - 1);
    }
    for (std::size_t i = 0; i < items; ++i) {
        double value = layouts[0].items[i] - layouts[0].mean;
        if (layouts.size() > 1) value -= layouts[1].items[i] - layouts[1].mean;
        scatter += value * value;
    }
    const double ofItems = scatter / ((double(items) - 1) * double(items));
    const double variance = seeds + std::max(0.0, ofItems - both);
    result.seedError = std::sqrt(seeds);
    result.itemError = std::sqrt(ofItems);
    result.error = std::sqrt(variance);
    result.freedom = double(items) - 1;
    if (squares > 0) result.freedom = std::min(result.freedom, variance * variance / squares);
}

}  // namespace

TwoLevelDifference twoLevelDifference(const ItemMetric& metric, const SeedItems& variant, const SeedItems& baseline,
                                      SeedTest test, double alpha) {
    if (!(alpha > 0 && alpha < 1)) throw std::invalid_argument("alpha must be between 0 and 1");
    TwoLevelDifference result;
    result.test = test;
    const Compared runs = comparedRuns(variant, baseline, test, result.alone);
    result.n = runs.variant.size();
    result.nBaseline = runs.baseline.size();
    if (runs.variant.empty() || runs.baseline.empty()) {
        result.whyNone = test == SeedTest::Paired ? "no two runs have the same seed" : "a variant has no runs";
        return result;
    }
    result.items = metric.itemsOf(*runs.variant.front());
    for (const auto* side : {&runs.variant, &runs.baseline})
        for (const ItemTerms* terms : *side)
            if (metric.itemsOf(*terms) != result.items)
                throw std::invalid_argument(fmt::format("runs of {} and {} items", result.items, metric.itemsOf(*terms)));
    result.difference = meanScore(metric, runs.variant) - meanScore(metric, runs.baseline);
    result.whyNone = whyTooFew(runs, result.items, metric);
    if (result.whyNone.empty() && !std::isfinite(result.difference)) result.whyNone = "a score is not a finite number";
    if (!result.whyNone.empty()) return result;
    Matrix first = valuesOf(metric, runs.variant), second = valuesOf(metric, runs.baseline);
    if (test == SeedTest::Paired) {
        for (std::size_t run = 0; run < first.size(); ++run)
            for (std::size_t i = 0; i < result.items; ++i) first[run][i] -= second[run][i];
        setErrors(result, {Layout(first)});
    } else {
        setErrors(result, {Layout(first), Layout(second)});
    }
    if (!(result.error > 1e-12 * std::abs(result.difference)) || !std::isfinite(result.error)) {
        result.whyNone = "the difference is the same for all items and seeds";
        return result;
    }
    result.p = studentBothTails(result.difference / result.error, result.freedom);
    const double reach = studentQuantile(1 - alpha / 2, result.freedom) * result.error;
    result.interval = Interval{result.difference - reach, result.difference + reach};
    return result;
}

}  // namespace heddle
