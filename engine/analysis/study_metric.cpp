// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study_metric.h"

#include "engine/base/error.h"
#include "engine/spec/data_files.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <string_view>

namespace heddle {
namespace {

constexpr std::string_view kStep = "step ", kMeanOfLast = "mean of last ", kAveraged = "average of last ";

/// The positive number behind `words`; 0 if `text` is something else.
std::int64_t numberAfter(std::string_view words, std::string_view text) {
    if (!text.starts_with(words)) return 0;
    text.remove_prefix(words.size());
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? std::max<std::int64_t>(number, 0) : 0;
}

}  // namespace

std::string ValueRule::text() const {
    switch (kind) {
    case Kind::Best: return "best";
    case Kind::Last: return "last";
    case Kind::AtStep: return std::string(kStep) + std::to_string(number);
    case Kind::Averaged: return std::string(kAveraged) + std::to_string(number);
    case Kind::MeanOfLast: break;
    }
    return std::string(kMeanOfLast) + std::to_string(number);
}

ValueRule ValueRule::parse(const std::string& text, const std::string& where) {
    if (text == "best") return {Kind::Best, 0};
    if (text == "last") return {Kind::Last, 0};
    if (const auto step = numberAfter(kStep, text); step > 0) return {Kind::AtStep, step};
    if (const auto count = numberAfter(kMeanOfLast, text); count > 0) return {Kind::MeanOfLast, count};
    if (const auto count = numberAfter(kAveraged, text); count > 1) return {Kind::Averaged, count};
    throwInvalid("unknown value rule \"" + text + "\"", where,
                 "it is one of: best, last, step 4000, mean of last 3, average of last 5");
}

std::optional<double> valueBy(const ValueRule& rule, const std::vector<Evaluated>& all, bool lowerIsBetter) {
    if (all.empty()) return {};
    switch (rule.kind) {
    case ValueRule::Kind::Last:
    case ValueRule::Kind::Averaged: return all.back().value;
    case ValueRule::Kind::Best:
        return std::min_element(all.begin(), all.end(),
                                [lowerIsBetter](const Evaluated& a, const Evaluated& b) {
                                    return lowerIsBetter ? a.value < b.value : a.value > b.value;
                                })
            ->value;
    case ValueRule::Kind::AtStep: {
        const auto found = std::find_if(all.begin(), all.end(), [&](const Evaluated& one) { return one.step == rule.number; });
        return found == all.end() ? std::nullopt : std::optional(found->value);
    }
    case ValueRule::Kind::MeanOfLast: break;
    }
    if (std::ssize(all) < rule.number) return {};
    return std::accumulate(all.end() - rule.number, all.end(), 0.0,
                           [](double sum, const Evaluated& one) { return sum + one.value; }) /
           double(rule.number);
}

std::string StudyMetric::recordedSplit() const {
    return rule.kind == ValueRule::Kind::Averaged ? averagedSplit(split, rule.number) : split;
}

}  // namespace heddle
