// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/select.h"

#include "engine/base/error.h"
#include "engine/data/batching/shuffle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace heddle {
namespace {

constexpr std::uint32_t kSplitPurpose = 0x73706C74;  // "splt": apart from the draws of the epochs

void checkRatio(const SplitRatio& ratio) {
    const bool sound = ratio.valid >= 0 && ratio.test >= 0 && ratio.valid + ratio.test < 1;  // false for NaN
    if (!sound)
        throwInvalid(
            fmt::format("shares {} for validation and {} for testing leave nothing to train on", ratio.valid, ratio.test),
            "split by ratio", "give shares of at least 0 that add up to less than 1");
}

/// Adds the shuffled numbers of one group to the splits.
void deal(std::vector<std::int64_t> numbers, const SplitRatio& ratio, ShuffleRandom random, SplitIndices& splits) {
    shuffle(numbers, random);
    const auto n = static_cast<double>(numbers.size());
    const auto size = static_cast<std::int64_t>(numbers.size());
    const std::int64_t valid = std::min<std::int64_t>(std::llround(n * ratio.valid), size);
    const std::int64_t test = std::min<std::int64_t>(std::llround(n * ratio.test), size - valid);
    const auto begin = numbers.begin();
    splits.valid.insert(splits.valid.end(), begin, begin + valid);
    splits.test.insert(splits.test.end(), begin + valid, begin + valid + test);
    splits.train.insert(splits.train.end(), begin + valid + test, numbers.end());
}

void sort(SplitIndices& splits) {
    for (auto* list : {&splits.train, &splits.valid, &splits.test}) std::sort(list->begin(), list->end());
}

}  // namespace

Groups groupEqual(const std::vector<std::string_view>& keys) {
    std::unordered_map<std::string_view, std::int64_t> known;
    Groups groups;
    for (const std::string_view key : keys) groups.numbers.push_back(known.try_emplace(key, std::ssize(known)).first->second);
    groups.repeated = std::ssize(keys) - std::ssize(known);
    return groups;
}

std::string repeatedWarning(const Groups& groups, const std::string& things) {
    return fmt::format("split by data.split: {} of {} {} repeat the input of another one; equal inputs are kept in one split",
                       groups.repeated, groups.numbers.size(), things);
}

SplitIndices splitByRatio(std::int64_t n, const SplitRatio& ratio, std::uint64_t seed) {
    checkRatio(ratio);
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    SplitIndices splits;
    deal(std::move(numbers), ratio, {seed, 0, kSplitPurpose}, splits);
    sort(splits);
    return splits;
}

SplitIndices splitByRatio(const Groups& groups, const SplitRatio& ratio, std::uint64_t seed) {
    checkRatio(ratio);
    std::vector<std::vector<std::int64_t>> members;
    for (std::size_t i = 0; i < groups.numbers.size(); ++i) {
        const auto group = static_cast<std::size_t>(groups.numbers[i]);
        if (group >= members.size()) members.resize(group + 1);
        members[group].push_back(static_cast<std::int64_t>(i));
    }
    std::vector<std::int64_t> order(members.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    ShuffleRandom random(seed, 0, kSplitPurpose);
    shuffle(order, random);
    const auto share = [&](double part) { return std::llround(static_cast<double>(groups.numbers.size()) * part); };
    const auto valid = share(ratio.valid), test = share(ratio.test);
    SplitIndices splits;
    for (const std::int64_t group : order) {
        auto& split = std::ssize(splits.valid) < valid ? splits.valid
                      : std::ssize(splits.test) < test ? splits.test
                                                       : splits.train;
        const auto& numbers = members[static_cast<std::size_t>(group)];
        split.insert(split.end(), numbers.begin(), numbers.end());
    }
    sort(splits);
    return splits;
}

SplitIndices splitByRatio(const std::vector<std::string>& labels, const SplitRatio& ratio, std::uint64_t seed) {
    checkRatio(ratio);
    std::map<std::string, std::vector<std::int64_t>> byLabel;  // in order of the labels: the same draws on every machine
    for (std::size_t i = 0; i < labels.size(); ++i) byLabel[labels[i]].push_back(static_cast<std::int64_t>(i));
    SplitIndices splits;
    std::uint64_t group = 0;
    for (auto& [label, numbers] : byLabel) deal(std::move(numbers), ratio, {seed, ++group, kSplitPurpose}, splits);
    sort(splits);
    return splits;
}

LengthFilter filterByLength(const std::vector<ExampleLength>& first, const std::vector<ExampleLength>& second,
                            const LengthLimits& limits) {
    if (!second.empty() && second.size() != first.size())
        throwInvalid(fmt::format("{} examples have {} second sides", first.size(), second.size()), "length filter",
                     "give both sides of each example");
    LengthFilter filter;
    filter.limits = limits;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const ExampleLength other = second.empty() ? first[i] : second[i];
        const auto [fewWords, manyWords] = std::minmax(first[i].words, other.words);
        const auto [fewTokens, manyTokens] = std::minmax(first[i].tokens, other.tokens);
        if (fewWords < limits.minWords)
            ++filter.tooFewWords;
        else if (limits.maxWords > 0 && manyWords > limits.maxWords)
            ++filter.tooManyWords;
        else if (fewTokens < limits.minTokens)
            ++filter.tooFewTokens;
        else if (limits.maxTokens > 0 && manyTokens > limits.maxTokens)
            ++filter.tooManyTokens;
        else
            filter.kept.push_back(static_cast<std::int64_t>(i));
    }
    return filter;
}

std::string LengthFilter::note() const {
    std::string text;
    const auto add = [&text](std::int64_t count, const std::string& why) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, why);
    };
    add(tooFewWords, fmt::format("shorter than {} words", limits.minWords));
    add(tooManyWords, fmt::format("longer than {} words", limits.maxWords));
    add(tooFewTokens, fmt::format("shorter than {} tokens", limits.minTokens));
    add(tooManyTokens, fmt::format("longer than {} tokens", limits.maxTokens));
    return text;
}

}  // namespace heddle
