// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

/// A pure function of its arguments: round(n·valid) and round(n·test) of the examples 0 … n−1, drawn with ShuffleRandom. Throws
/// Error(InvalidInput) for shares that are negative or add up to 1 or more.
SplitIndices splitByRatio(std::int64_t n, const SplitRatio& ratio, std::uint64_t seed);

/// The same for examples of which some are equal: groups are never split. Groups are drawn until a split has its share; without
/// equal examples the result equals the first form.
SplitIndices splitByRatio(const Groups& groups, const SplitRatio& ratio, std::uint64_t seed);

/// Stratified by label: splits each label's examples separately, so that every split has the same label shares up to rounding.
SplitIndices splitByRatio(const std::vector<std::string>& labels, const SplitRatio& ratio, std::uint64_t seed);

/// Bounds of lengths, both ends included; 0: no bound.
struct LengthLimits {
    std::int64_t minWords = 0, maxWords = 0;
    std::int64_t minTokens = 0, maxTokens = 0;
};

/// Lengths of one example; for a pair each is checked by itself.
struct ExampleLength {
    std::int64_t words = 0, tokens = 0;
};

/// What a filter keeps, and why it drops: an example is counted once, under the first bound that it breaks.
struct LengthFilter {
    std::vector<std::int64_t> kept;  ///< ascending
    std::int64_t tooFewWords = 0, tooManyWords = 0, tooFewTokens = 0, tooManyTokens = 0;
    std::int64_t dropped() const { return tooFewWords + tooManyWords + tooFewTokens + tooManyTokens; }
    std::string note() const;  ///< "12 longer than 50 words, …"; empty when nothing is dropped
    LengthLimits limits;
};

/// One entry an example in `first`; `second` is empty, or has the lengths of the other sides (an example is dropped when either
/// side breaks a bound).
LengthFilter filterByLength(const std::vector<ExampleLength>& first, const std::vector<ExampleLength>& second,
                            const LengthLimits& limits);

}  // namespace heddle
