// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

struct SplitRatio {
    double valid = 0, test = 0;  ///< shares in [0, 1); the rest, always more than nothing, is for training
};

/// Numbers of the examples of each split, ascending.
struct SplitIndices {
    std::vector<std::int64_t> train, valid, test;
};

/// Which group each example belongs to: examples with equal keys share one. Groups are numbered from 0 in the order in which
/// they appear.
struct Groups {
    std::vector<std::int64_t> numbers;
    std::int64_t repeated = 0;  ///< examples that are not the first of their group
};
Groups groupEqual(const std::vector<std::string_view>& keys);

/// The warning about repeated examples that a split by shares keeps together. `things`: "examples", "images".
std::string repeatedWarning(const Groups& groups, const std::string& things);

/// A pure function of its arguments: groups are drawn with ShuffleRandom, and never split, until validation has round(n·valid)
/// of the n examples and testing round(n·test). Throws Error(InvalidInput) for shares that are negative or add up to 1 or more.
SplitIndices splitByRatio(const Groups& groups, const SplitRatio& ratio, std::uint64_t seed);

/// Bounds of lengths, both ends included; 0: no bound.
struct LengthLimits {
    std::int64_t minWords = 0, maxWords = 0;
};

/// Numbers of words of both sides of an example; of an example with one text, twice the same.
using SideWords = std::pair<std::int64_t, std::int64_t>;

/// What a filter keeps, and why it drops: an example is counted once, under the first bound that it breaks.
struct LengthFilter {
    std::vector<std::int64_t> kept;  ///< ascending
    std::int64_t tooFewWords = 0, tooManyWords = 0;
    std::int64_t dropped() const { return tooFewWords + tooManyWords; }
    std::string note() const;  ///< "12 longer than 50 words, …"; empty when nothing is dropped
    LengthLimits limits;
};

/// Drops examples of which either side breaks a bound.
LengthFilter filterByLength(const std::vector<SideWords>& examples, const LengthLimits& limits);

}  // namespace heddle
