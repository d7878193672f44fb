// SPDX-License-Identifier: Apache-2.0
// The difference of two variants over seeds: what is estimated, how sure that is, and what these seeds could have shown.
//
// The unit is a run. A test says something about seeds of the same experiment (the same data, settings and test set), and
// nothing about other data or other test sentences (paired_difference.h does that for one pair of runs).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The value of each seed's run.
using SeedValues = std::map<std::uint64_t, double>;

/// Which test a study has chosen before it looked. Paired: runs of equal seeds begin with equal shared weights and see equal
/// data in equal order, and the test is of their differences (Student 1908); pairing pays only where seeds are correlated.
/// Welch: no pairs (Welch 1947, with Satterthwaite's degrees of freedom).
enum class SeedTest { Paired, Welch };

struct Interval {
    double low = 0, high = 0;
    bool contains(double value) const { return low <= value && value <= high; }
    bool operator==(const Interval&) const = default;
};

/// The exact two-sided test that flips the signs of the differences of pairs (Fisher 1935): it assumes nothing but that a
/// difference and its opposite are equally likely where there is none.
struct SignFlip {
    double p = 1;
    double least = 1;  ///< the smallest p that so many pairs with a difference can have: 2 ÷ 2ⁿ
    bool operator==(const SignFlip&) const = default;
};

struct SeedDifference {
    SeedTest test = SeedTest::Paired;
    double difference = 0;              ///< mean of the variant less mean of the baseline, over the runs that are used
    std::size_t n = 0, nBaseline = 0;   ///< runs that are used; equal in pairs
    std::vector<std::uint64_t> alone;   ///< seeds that only one of the two has, left out of pairs
    double error = 0;                   ///< the standard error of the difference
    double freedom = 0;                 ///< degrees of freedom
    std::optional<double> p;            ///< two-sided, of "there is no difference"
    std::optional<Interval> interval;   ///< of the level asked for
    std::optional<double> correlation;  ///< of the values of pairs (Pearson's); from three pairs
    std::optional<SignFlip> signFlip;   ///< of 2 to kMostFlipped pairs
    bool areAllEqual = false;           ///< the differences of all pairs are 0
    std::string whyNone;                ///< why there is no test, in a few words; empty: there is one
};

inline constexpr std::size_t kMostFlipped = 20;  ///< pairs of the exact test: 2²⁰ signs

/// `alpha`: 1 − the level of the interval, for example 0.05, or 0.05 ÷ m for simultaneous intervals of m comparisons
/// (Bonferroni). Throws std::invalid_argument where `alpha` is not between 0 and 1.
SeedDifference seedDifference(const SeedValues& variant, const SeedValues& baseline, SeedTest test, double alpha);

/// The bias-corrected and accelerated bootstrap interval of the same difference (Efron 1987) from `resamples` samples, for
/// n ≥ kFewestResampled on both sides; nothing below, or where the values do not scatter. The same numbers give the same
/// interval. It holds less often than it says at small n: it is beside the t interval, not in its place.
std::optional<Interval> bootstrapInterval(const SeedValues& variant, const SeedValues& baseline, SeedTest test, double alpha,
                                          std::int64_t resamples = 10'000);
inline constexpr std::size_t kFewestResampled = 8;

/// Two one-sided t tests (Schuirmann 1987): the larger of their p values, of "the difference is `margin` or more, one way or
/// the other". Nothing where seedDifference() has no test.
std::optional<double> equivalence(const SeedDifference& difference, double margin);

/// The smallest true difference that a two-sided test of level `alpha` finds in the share `power` of such studies. `deviation`:
/// the standard deviation of the differences of pairs, or of the runs of one variant (Welch, n runs each). Nothing below n = 2,
/// or where `alpha` is so small that no difference of use is found.
std::optional<double> smallestDetectable(SeedTest test, double deviation, std::size_t n, double alpha, double power);

/// The smallest true difference that as many runs, with the same scatter, would have shown; nothing where there is no test.
std::optional<double> smallestShown(const SeedDifference& difference, double alpha, double power);

/// How many runs of each variant find a true difference of `size`; nothing where `most` are too few.
std::optional<std::size_t> seedsNeeded(SeedTest test, double deviation, double size, double alpha, double power,
                                       std::size_t most = 1000);

/// Above which correlation of the seeds pairing finds smaller differences than no pairs do, with n runs of each variant.
std::optional<double> pairingPaysAbove(std::size_t n, double alpha, double power);

/// What a study may say of a variant beside its baseline.
enum class Verdict { Better, Worse, Equivalent, NotShown };

/// "better", "worse", "equivalent", "no difference shown".
std::string nameOf(Verdict verdict);

/// Better or worse where p (corrected for the family, if there is one) is below `alpha`; else equivalent where the margin was
/// named beforehand and both one-sided tests are below `alpha`; else not shown. A difference that is shown and lies within the
/// margin stays better or worse: the margin is told beside it.
Verdict verdictOf(const SeedDifference& difference, double correctedP, std::optional<double> equivalenceP, bool lowerIsBetter,
                  double alpha);

}  // namespace heddle
