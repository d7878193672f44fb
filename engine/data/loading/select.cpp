// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/select.h"

#include "engine/base/error.h"
#include "engine/data/batching/shuffle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace heddle {
namespace {

constexpr std::uint32_t kSplitPurpose = 0x73706C74;  // "splt": apart from the draws of the epochs

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

SplitIndices splitByRatio(const Groups& groups, const SplitRatio& ratio, std::uint64_t seed) {
    const bool sound = ratio.valid >= 0 && ratio.test >= 0 && ratio.valid + ratio.test < 1;  // false for NaN
    if (!sound)
        throwInvalid(
            fmt::format("shares of {} for validation and {} for testing leave no training data", ratio.valid, ratio.test),
            "split by ratio", "use shares of at least 0 with a sum below 1");
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
    for (auto* list : {&splits.train, &splits.valid, &splits.test}) std::sort(list->begin(), list->end());
    return splits;
}

LengthFilter filterByLength(const std::vector<SideWords>& examples, const LengthLimits& limits) {
    LengthFilter filter;
    filter.limits = limits;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto [few, many] = std::minmax(examples[i].first, examples[i].second);
        if (few < limits.minWords)
            ++filter.tooFewWords;
        else if (limits.maxWords > 0 && many > limits.maxWords)
            ++filter.tooManyWords;
        else
            filter.kept.push_back(static_cast<std::int64_t>(i));
    }
    return filter;
}

std::string LengthFilter::note() const {
    std::string text;
    if (tooFewWords > 0) text = fmt::format("{} shorter than {} words", tooFewWords, limits.minWords);
    if (tooManyWords > 0)
        text += fmt::format("{}{} longer than {} words", text.empty() ? "" : ", ", tooManyWords, limits.maxWords);
    return text;
}

}  // namespace heddle
