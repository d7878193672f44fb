// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/select.h"

#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::invalidInput;

std::vector<std::int64_t> all(const SplitIndices& splits) {
    std::vector<std::int64_t> numbers = splits.train;
    numbers.insert(numbers.end(), splits.valid.begin(), splits.valid.end());
    numbers.insert(numbers.end(), splits.test.begin(), splits.test.end());
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

/// Examples of which none are equal.
Groups apart(std::size_t size) {
    Groups groups;
    groups.numbers.resize(size);
    std::iota(groups.numbers.begin(), groups.numbers.end(), 0);
    return groups;
}

TEST(SplitByRatio, IsAPureFunctionWithoutOverlap) {
    const SplitIndices splits = splitByRatio(apart(1000), {0.15, 0.05}, 7);
    EXPECT_EQ(splits.valid.size(), 150U);
    EXPECT_EQ(splits.test.size(), 50U);
    EXPECT_TRUE(std::is_sorted(splits.valid.begin(), splits.valid.end()));
    EXPECT_EQ(all(splits), apart(1000).numbers);
    EXPECT_EQ(splitByRatio(apart(1000), {0.15, 0.05}, 7).valid, splits.valid);
    EXPECT_NE(splitByRatio(apart(1000), {0.15, 0.05}, 8).valid, splits.valid);
    // Pinned: the split of a stored spec must never change.
    EXPECT_THAT(splitByRatio(apart(10), {0.2, 0.1}, 1).valid, ElementsAre(4, 7));
    EXPECT_THAT(splitByRatio(apart(10), {0.2, 0.1}, 1).test, ElementsAre(8));
}

TEST(SplitByRatio, EqualExamplesStayTogether) {
    const std::vector<std::string_view> six{"a", "b", "c", "d", "e", "f"};
    std::vector<std::string_view> sentences;
    for (std::size_t i = 0; i < 600; ++i) sentences.push_back(six[i % 6]);
    const Groups groups = groupEqual(sentences);
    EXPECT_EQ(groups.repeated, 594);
    const SplitIndices splits = splitByRatio(groups, {0.1, 0}, 1);
    EXPECT_EQ(splits.valid.size(), 100U) << "one of them, all of its hundred";
    EXPECT_EQ(splits.train.size(), 500U);
    for (const std::int64_t i : splits.valid) EXPECT_EQ(i % 6, splits.valid[0] % 6);
    EXPECT_EQ(all(splits).size(), 600U);
}

TEST(SplitByRatio, EdgesAndBadShares) {
    EXPECT_TRUE(all(splitByRatio(apart(0), {0.1, 0.1}, 1)).empty());
    EXPECT_EQ(splitByRatio(apart(3), {}, 1).train.size(), 3U);
    for (const SplitRatio bad : {SplitRatio{0.5, 0.5}, SplitRatio{-0.1, 0}, SplitRatio{0, std::stod("nan")}})
        EXPECT_THAT(invalidInput([&] { splitByRatio(apart(10), bad, 1); }), HasSubstr("leave no training data"));
}

TEST(FilterByLength, CountsWhyEachIsDropped) {
    const std::vector<SideWords> examples{{5, 5}, {0, 5}, {60, 5}, {5, 51}};
    const LengthFilter filter = filterByLength(examples, {1, 50});
    EXPECT_THAT(filter.kept, ElementsAre(0));
    EXPECT_EQ(filter.tooFewWords, 1);
    EXPECT_EQ(filter.tooManyWords, 2);
    EXPECT_EQ(filter.dropped(), 3);
    EXPECT_EQ(filter.note(), "1 shorter than 1 words, 2 longer than 50 words");
    EXPECT_EQ(filterByLength(examples, {}).kept.size(), 4U);
    EXPECT_EQ(filterByLength(examples, {}).note(), "");
}

}  // namespace
}  // namespace heddle
