// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/map_measures.h"

#include "engine/analysis/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace heddle {
namespace {

constexpr const char* kLogit = "attention_logit";

/// Positions with weight in some head; hidden keys have scores, too.
std::vector<std::uint8_t> attended(const MapTaken& weights) {
    std::vector<std::uint8_t> places(static_cast<std::size_t>(weights.rows * weights.columns));
    for (std::size_t i = 0; i < weights.values.size(); ++i)
        if (weights.values[i] != 0) places[i % places.size()] = 1;
    return places;
}

/// The highest score at these places; NaN: there are none.
double highestScore(const std::vector<float>& scores, const std::vector<std::uint8_t>& places) {
    double most = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (places[i % places.size()] != 0 && !(scores[i] <= most)) most = scores[i];
    return most;
}

}  // namespace

void MapMeasures::put(const char* name, const std::string& path, std::int64_t step, double value) {
    if (!std::isnan(value)) block_.series.push_back({name, path, step, 1, {static_cast<float>(value)}, true});
}

void MapMeasures::add(const MapTaken& weights, const std::vector<float>& scores, std::int64_t step) {
    const auto isFinite = [](float value) { return std::isfinite(value); };
    if (!std::all_of(weights.values.begin(), weights.values.end(), isFinite)) return;
    const HeadMaps maps{weights.heads, weights.rows, weights.columns, weights.values};
    const std::string path =
        weights.name == "weight" ? weights.path : weights.path + "." + weights.name;  // halves of directional values
    const std::vector<std::uint8_t> places = attended(weights);
    const bool hasScores = scores.size() == weights.values.size();
    if (hasScores) put(kLogit, path, step, highestScore(scores, places));
    if (std::any_of(weights.values.begin(), weights.values.end(), [](float value) { return value < 0; })) return;
    const std::vector<CountedMean> distances = attentionDistance(maps), entropies = attentionEntropy(maps),
                                   sinks = attentionSink(maps);
    for (std::size_t head = 0; head < distances.size(); ++head) {
        const std::string where = path + "/head " + std::to_string(head);
        put("attention_distance", where, step, distances[head].mean);
        put("attention_entropy", where, step, entropies[head].mean);
        put("attention_sink", where, step, sinks[head].mean);
    }
    if (weights.heads < 2) return;
    put("head_divergence", path, step, meanOfDifferentHeads(weightDivergence(maps)).mean);
    if (!hasScores) return;
    const HeadMaps before{weights.heads, weights.rows, weights.columns, scores};
    put("head_cosine", path, step, meanOfDifferentHeads(scoreCosine(before, {ScoreCentring::Rows, places})).mean);
}

StepBlock MapMeasures::take(std::int64_t step) {
    std::map<std::string, std::vector<CountedMean>> byName;
    for (const SeriesBlock& one : block_.series) byName[one.name].push_back({one.values.front(), 1});
    for (const auto& [name, values] : byName) {
        const auto isLower = [](const CountedMean& a, const CountedMean& b) { return a.mean < b.mean; };
        const double whole =
            name == kLogit ? std::max_element(values.begin(), values.end(), isLower)->mean : joined(values).mean;
        put(name.c_str(), "", step, whole);
    }
    return std::exchange(block_, {});
}

}  // namespace heddle
