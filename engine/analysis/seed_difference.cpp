// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/seed_difference.h"

#include "engine/analysis/distributions.h"
#include "engine/analysis/spread.h"
#include "engine/base/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace heddle {
namespace {

/// The values that a test uses; in pairs, those of equal seeds at equal places.
struct UsedSeeds {
    std::vector<double> variant, baseline;
    std::vector<std::uint64_t> alone;

    std::vector<double> differences() const {
        std::vector<double> all(variant.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = variant[i] - baseline[i];
        return all;
    }
};

UsedSeeds usedSeeds(const SeedValues& variant, const SeedValues& baseline, SeedTest test) {
    UsedSeeds used;
    const auto isPaired = [test](const SeedValues& other, std::uint64_t seed) {
        return test == SeedTest::Welch || other.contains(seed);
    };
    for (const auto& [seed, value] : variant)
        if (isPaired(baseline, seed))
            used.variant.push_back(value);
        else
            used.alone.push_back(seed);
    for (const auto& [seed, value] : baseline)
        if (isPaired(variant, seed))
            used.baseline.push_back(value);
        else
            used.alone.push_back(seed);
    std::sort(used.alone.begin(), used.alone.end());
    return used;
}

double varianceOf(const std::vector<double>& values) {
    const double deviation = spreadOf(values).deviation.value_or(0);
    return deviation * deviation;
}

std::string whyNoTest(const UsedSeeds& used, SeedTest test) {
    for (const auto* values : {&used.variant, &used.baseline})
        for (const double value : *values)
            if (!std::isfinite(value)) return "a run has no finite value";
    const std::size_t least = std::min(used.variant.size(), used.baseline.size());
    if (least < 2 && test == SeedTest::Paired)
        return fmt::format("a test needs at least two pairs with equal seeds; there {} {}", least == 1 ? "is" : "are", least);
    if (least < 2) return fmt::format("a test needs at least two runs of each variant; one of them has {}", least);
    return "";
}

double correlationOf(const UsedSeeds& used) {
    const double a = meanOf(used.variant), b = meanOf(used.baseline);
    double both = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < used.variant.size(); ++i) {
        const double x = used.variant[i] - a, y = used.baseline[i] - b;
        both += x * y, first += x * x, second += y * y;
    }
    return both / std::sqrt(first * second);
}

/// In the order of Gray's code one sign changes from sum to sum. Sums that differ by rounding alone are equal.
SignFlip flipSigns(const std::vector<double>& differences) {
    const std::size_t n = differences.size();
    double sum = 0, size = 0;
    for (const double d : differences) sum += d, size += std::abs(d);
    const double reached = std::abs(sum) - 1e-12 * size;
    std::vector<double> signs(differences);
    std::uint64_t hits = 1;  // all signs as they are
    const std::uint64_t all = std::uint64_t{1} << n;
    for (std::uint64_t i = 1; i < all; ++i) {
        double& flipped = signs[std::size_t(std::countr_zero(i))];
        flipped = -flipped;
        sum += 2 * flipped;
        hits += std::abs(sum) >= reached;
    }
    const auto changed = std::count_if(differences.begin(), differences.end(), [](double d) { return d != 0; });
    return {static_cast<double>(hits) / static_cast<double>(all),
            changed > 0 ? std::ldexp(1.0, 1 - static_cast<int>(changed)) : 1};
}

/// The standard error of the difference and its degrees of freedom.
std::pair<double, double> errorOf(const UsedSeeds& used, SeedTest test) {
    const auto n = static_cast<double>(used.variant.size()), m = static_cast<double>(used.baseline.size());
    if (test == SeedTest::Paired) return {std::sqrt(varianceOf(used.differences()) / n), n - 1};
    const double a = varianceOf(used.variant) / n, b = varianceOf(used.baseline) / m;
    return {std::sqrt(a + b), (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1))};
}

/// Uniform places, always the same.
class Places {
public:
    std::size_t below(std::size_t end) {
        if (at_ == 0) words_ = philox::draw({{0x5eed, 0xb007}, 0, 0}, block_++);
        const std::uint32_t word = words_[at_];
        at_ = (at_ + 1) % words_.size();
        return std::size_t((std::uint64_t{word} * end) >> 32);
    }

private:
    philox::Block words_{};
    std::uint64_t block_ = 0;
    std::size_t at_ = 0;
};

double resampledMean(const std::vector<double>& values, Places& places) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[places.below(values.size())];
    return sum / static_cast<double>(values.size());
}

/// The sums of squares and cubes of the influence that each value has on the difference: its distance from the mean of its
/// sample ÷ the sample's size (Davison and Hinkley 1997, section 5.3.2, for several samples).
struct Moved {
    double squares = 0, cubes = 0;
    void add(const std::vector<double>& values, double sign) {
        const double mean = meanOf(values), n = static_cast<double>(values.size());
        for (const double value : values) {
            const double by = sign * (value - mean) / n;
            squares += by * by, cubes += by * by * by;
        }
    }
};

}  // namespace

SeedDifference seedDifference(const SeedValues& variant, const SeedValues& baseline, SeedTest test, double alpha) {
    if (!(alpha > 0 && alpha < 1)) throw std::invalid_argument("alpha must be between 0 and 1");
    UsedSeeds used = usedSeeds(variant, baseline, test);
    SeedDifference result;
    result.test = test;
    result.n = used.variant.size();
    result.nBaseline = used.baseline.size();
    result.alone = std::move(used.alone);
    if (result.n > 0 && result.nBaseline > 0) result.difference = meanOf(used.variant) - meanOf(used.baseline);
    result.whyNone = whyNoTest(used, test);
    if (!result.whyNone.empty()) return result;
    std::tie(result.error, result.freedom) = errorOf(used, test);
    if (test == SeedTest::Paired) {
        if (result.n >= 3)
            if (const double r = correlationOf(used); std::isfinite(r)) result.correlation = r;
        if (result.n <= kMostFlipped) result.signFlip = flipSigns(used.differences());
    }
    double largest = 0;
    for (const auto* values : {&used.variant, &used.baseline})
        for (const double value : *values) largest = std::max(largest, std::abs(value));
    if (!(result.error > 1e-12 * largest)) {  // they differ by rounding alone
        result.error = 0;
        result.areAllEqual = test == SeedTest::Paired && std::abs(result.difference) <= 1e-12 * largest;
        if (test == SeedTest::Welch)
            result.whyNone = "all runs of each variant have the same value";
        else
            result.whyNone = result.areAllEqual ? "all pairs are equal" : "all pairs have the same difference";
        return result;
    }
    result.p = studentBothTails(result.difference / result.error, result.freedom);
    const double reach = studentQuantile(1 - alpha / 2, result.freedom) * result.error;
    result.interval = Interval{result.difference - reach, result.difference + reach};
    return result;
}

std::optional<Interval> bootstrapInterval(const SeedValues& variant, const SeedValues& baseline, SeedTest test, double alpha,
                                          std::int64_t resamples) {
    const UsedSeeds used = usedSeeds(variant, baseline, test);
    if (std::min(used.variant.size(), used.baseline.size()) < kFewestResampled || !whyNoTest(used, test).empty()) return {};
    const bool isPaired = test == SeedTest::Paired;
    const std::vector<double> first = isPaired ? used.differences() : used.variant;
    const double difference = meanOf(first) - (isPaired ? 0 : meanOf(used.baseline));
    Places places;
    std::vector<double> drawn(static_cast<std::size_t>(resamples));
    double below = 0;
    for (double& value : drawn) {
        value = resampledMean(first, places) - (isPaired ? 0 : resampledMean(used.baseline, places));
        below += value < difference ? 1 : value == difference ? 0.5 : 0;
    }
    std::sort(drawn.begin(), drawn.end());
    if (drawn.front() == drawn.back()) return {};
    Moved moved;
    moved.add(first, 1);
    if (!isPaired) moved.add(used.baseline, -1);
    const double bias = normalQuantile(below / static_cast<double>(resamples));
    const double acceleration = moved.cubes / (6 * std::pow(moved.squares, 1.5));
    const auto at = [&](double tail) {
        const double z = bias + normalQuantile(tail);
        const double share = normalProbability(bias + z / (1 - acceleration * z));
        const double place = share * static_cast<double>(resamples - 1);
        const auto left = static_cast<std::size_t>(place);
        const std::size_t right = std::min(left + 1, drawn.size() - 1);
        return drawn[left] + (place - std::floor(place)) * (drawn[right] - drawn[left]);
    };
    return Interval{at(alpha / 2), at(1 - alpha / 2)};
}

std::optional<double> equivalence(const SeedDifference& difference, double margin) {
    if (!difference.p) return {};
    const double above = studentUpperTail((difference.difference + margin) / difference.error, difference.freedom);
    const double below = studentUpperTail((margin - difference.difference) / difference.error, difference.freedom);
    return std::max(above, below);
}

std::optional<double> smallestDetectable(SeedTest test, double deviation, std::size_t n, double alpha, double power) {
    if (n < 2) return {};
    const auto runs = static_cast<double>(n);
    const double freedom = test == SeedTest::Paired ? runs - 1 : 2 * runs - 2;
    const auto shift = studentShift(power, freedom, alpha);
    return shift ? std::optional(*shift * deviation * std::sqrt((test == SeedTest::Paired ? 1 : 2) / runs)) : std::nullopt;
}

std::optional<double> smallestShown(const SeedDifference& difference, double alpha, double power) {
    if (!difference.p) return {};
    const auto shift = studentShift(power, difference.freedom, alpha);
    return shift ? std::optional(*shift * difference.error) : std::nullopt;
}

std::optional<std::size_t> seedsNeeded(SeedTest test, double deviation, double size, double alpha, double power,
                                       std::size_t most) {
    const auto isFound = [&](std::size_t n) {
        const auto smallest = smallestDetectable(test, deviation, n, alpha, power);
        return smallest && *smallest <= size;
    };
    std::size_t low = 1, high = most;
    if (!isFound(most)) return {};
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (isFound(middle) ? high : low) = middle;
    }
    return high;
}

/// The differences of pairs have the deviation √(2 − 2ρ) of a run's.
std::optional<double> pairingPaysAbove(std::size_t n, double alpha, double power) {
    const auto paired = smallestDetectable(SeedTest::Paired, 1, n, alpha, power);
    const auto apart = smallestDetectable(SeedTest::Welch, 1, n, alpha, power);
    if (!paired || !apart) return {};
    const double ratio = *apart / *paired;
    return 1 - ratio * ratio / 2;
}

std::string nameOf(Verdict verdict) {
    switch (verdict) {
    case Verdict::Better: return "better";
    case Verdict::Worse: return "worse";
    case Verdict::Equivalent: return "equivalent";
    case Verdict::NotShown: break;
    }
    return "no difference shown";
}

Verdict verdictOf(const SeedDifference& difference, double correctedP, std::optional<double> equivalenceP, bool lowerIsBetter,
                  double alpha) {
    if (!difference.p) return Verdict::NotShown;
    if (correctedP < alpha) return (difference.difference < 0) == lowerIsBetter ? Verdict::Better : Verdict::Worse;
    return equivalenceP && *equivalenceP < alpha ? Verdict::Equivalent : Verdict::NotShown;
}

}  // namespace heddle
