// SPDX-License-Identifier: Apache-2.0
#include "engine/base/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace heddle {
namespace {

/// Edit distance with transpositions of neighbours (optimal string alignment), ignoring case.
std::size_t editDistance(const std::string& a, const std::string& b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    std::vector<std::size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
        }
        std::swap(beforeLast, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t bestDistance = 0;
    constexpr std::size_t kLongestMeant = 100;
    if (word.empty() || word.size() > kLongestMeant) return best;
    for (const auto& candidate : known) {
        const std::size_t distance = editDistance(word, candidate);
        const std::size_t limit = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
        if (distance <= limit && (best.empty() || distance < bestDistance)) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

std::string nearestHint(const std::string& word, const std::vector<std::string>& known) {
    const std::string nearest = didYouMean(word, known);
    return nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest);
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
    const std::string hint = nearestHint(word, known);
    const std::string list = known.empty() ? "no value is possible here" : fmt::format("Known: {}", fmt::join(known, ", "));
    return hint.empty() ? list : hint + " " + list;
}

}  // namespace heddle
