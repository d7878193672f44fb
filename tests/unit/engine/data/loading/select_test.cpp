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
using testing::invalidInput;

std::vector<std::int64_t> all(const SplitIndices& splits) {
    std::vector<std::int64_t> numbers = splits.train;
    numbers.insert(numbers.end(), splits.valid.begin(), splits.valid.end());
    numbers.insert(numbers.end(), splits.test.begin(), splits.test.end());
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

TEST(SplitByRatio, IsAPureFunctionWithoutOverlap) {
    const SplitIndices splits = splitByRatio(1000, {0.15, 0.05}, 7);
    EXPECT_EQ(splits.valid.size(), 150U);
    EXPECT_EQ(splits.test.size(), 50U);
    EXPECT_TRUE(std::is_sorted(splits.valid.begin(), splits.valid.end()));
    std::vector<std::int64_t> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    EXPECT_EQ(all(splits), numbers);
    EXPECT_EQ(splitByRatio(1000, {0.15, 0.05}, 7).valid, splits.valid);
    EXPECT_NE(splitByRatio(1000, {0.15, 0.05}, 8).valid, splits.valid);
    // Pinned: the split of a stored spec must never change.
    EXPECT_THAT(splitByRatio(10, {0.2, 0.1}, 1).valid, ElementsAre(4, 7));
    EXPECT_THAT(splitByRatio(10, {0.2, 0.1}, 1).test, ElementsAre(8));
}

TEST(SplitByRatio, EqualExamplesStayTogether) {
    Groups apart;
    apart.numbers.resize(1000);
    std::iota(apart.numbers.begin(), apart.numbers.end(), 0);
    EXPECT_EQ(splitByRatio(apart, {0.15, 0.05}, 7).valid, splitByRatio(1000, {0.15, 0.05}, 7).valid) << "none is equal";
    EXPECT_EQ(splitByRatio(apart, {0.15, 0.05}, 7).test, splitByRatio(1000, {0.15, 0.05}, 7).test);

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
    EXPECT_TRUE(all(splitByRatio(0, {0.1, 0.1}, 1)).empty());
    EXPECT_EQ(splitByRatio(3, {}, 1).train.size(), 3U);
    for (const SplitRatio bad : {SplitRatio{0.5, 0.5}, SplitRatio{-0.1, 0}, SplitRatio{0, std::stod("nan")}})
        EXPECT_THAT(invalidInput([&] { splitByRatio(10, bad, 1); }), HasSubstr("leave nothing to train on"));
}

TEST(SplitByRatio, StratifiedKeepsTheSharesOfLabels) {
    std::vector<std::string> labels;
    for (int i = 0; i < 1000; ++i) labels.emplace_back(i % 10 == 0 ? "rare" : "common");
    const SplitIndices splits = splitByRatio(labels, {0.2, 0.1}, 3);
    const auto rare = [&](const std::vector<std::int64_t>& numbers) {
        return std::count_if(numbers.begin(), numbers.end(),
                             [&](std::int64_t i) { return labels[static_cast<std::size_t>(i)] == "rare"; });
    };
    EXPECT_EQ(rare(splits.valid), 20);
    EXPECT_EQ(rare(splits.test), 10);
    EXPECT_EQ(splits.valid.size(), 200U);
    EXPECT_EQ(all(splits).size(), 1000U);
}

TEST(FilterByLength, CountsWhyEachIsDropped) {
    const std::vector<ExampleLength> first{{5, 6}, {0, 0}, {60, 70}, {5, 90}, {5, 6}},
        second{{5, 6}, {5, 6}, {5, 6}, {5, 6}, {51, 6}};
    const LengthFilter filter = filterByLength(first, second, {1, 50, 0, 80});
    EXPECT_THAT(filter.kept, ElementsAre(0));
    EXPECT_EQ(filter.tooFewWords, 1);
    EXPECT_EQ(filter.tooManyWords, 2);
    EXPECT_EQ(filter.tooManyTokens, 1);
    EXPECT_EQ(filter.dropped(), 4);
    EXPECT_EQ(filter.note(), "1 shorter than 1 words, 2 longer than 50 words, 1 longer than 80 tokens");
    EXPECT_EQ(filterByLength(first, {}, {}).kept.size(), 5U);
    EXPECT_EQ(filterByLength(first, {}, {}).note(), "");
    EXPECT_THAT(invalidInput([&] { filterByLength(first, {{1, 1}}, {}); }), HasSubstr("5 examples have 1 second sides"));
}

}  // namespace
}  // namespace heddle
