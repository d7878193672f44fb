// SPDX-License-Identifier: Apache-2.0
#include "app/session/gradient_norms.h"

#include <algorithm>
#include <array>
#include <compare>

namespace heddle::app {
namespace {

/// One word of a path as it sorts: words known by their place in the model, then numbers, then the others by letters.
struct Word {
    std::size_t rank = 0;
    std::int64_t number = 0;
    std::string text;
    auto operator<=>(const Word&) const = default;
};

Word wordOf(const std::string& text) {
    static const std::array<const char*, 9> kOrder{"embed", "position", "encoder", "decoder", "head",
                                                   "self",  "star",     "cross",   "ffn"};
    const auto known = std::find(kOrder.begin(), kOrder.end(), text);
    if (known != kOrder.end()) return {static_cast<std::size_t>(known - kOrder.begin()), 0, ""};
    const bool isNumber = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return {kOrder.size(), isNumber ? std::stoll(text) : -1, text};
}

std::vector<Word> wordsOf(const std::string& path) {
    std::vector<Word> words;
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t to = std::min(path.find('.', from), path.size());
        words.push_back(wordOf(path.substr(from, to - from)));
        from = to + 1;
    }
    return words;
}

GradientNorm normOf(const std::string& path, const std::vector<storage::RunQuery::Point>& points) {
    GradientNorm norm;
    norm.path = path;
    norm.n = static_cast<std::int64_t>(points.size());
    norm.least = norm.largest = points.front().value;
    for (const auto& point : points) {
        const double value = point.value;
        norm.mean += value / static_cast<double>(points.size());
        norm.least = std::min(norm.least, value);
        norm.largest = std::max(norm.largest, value);
        norm.share += value * value;  // of what: known when all places are
    }
    return norm;
}

}  // namespace

GradientNorms gradientNormsOf(storage::RunQuery& query, const std::string& run, const StepStretch& stretch) {
    GradientNorms norms;
    double whole = 0;
    for (const auto& series : query.series(run)) {
        if (series.name != "grad_norm" || series.path.empty()) continue;
        const auto points = query.points(run, series.name, series.path, stretch.first, stretch.last);
        if (points.empty()) continue;
        norms.places.push_back(normOf(series.path, points));
        const bool isOutermost = series.path.find('.') == std::string::npos;
        if (isOutermost) whole += norms.places.back().share;
        norms.firstStep = norms.places.size() == 1 ? points.front().step : std::min(norms.firstStep, points.front().step);
        norms.lastStep = std::max(norms.lastStep, points.back().step);
    }
    for (GradientNorm& norm : norms.places) norm.share = whole > 0 ? norm.share / whole : 0;
    std::sort(norms.places.begin(), norms.places.end(),
              [](const GradientNorm& a, const GradientNorm& b) { return wordsOf(a.path) < wordsOf(b.path); });
    return norms;
}

}  // namespace heddle::app
