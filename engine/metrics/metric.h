// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

/// The value of a metric, with its signature.
struct MetricValue {
    std::string name;       ///< of metricInfo(), possibly followed by a part: "f1/PER"
    double value = 0;       ///< NaN: undefined for these data, and `warning` says why
    std::string signature;  ///< "f1|average:binary|positive:1|n:408|version:heddle-…": everything that changes the number
    std::int64_t n = 0;     ///< examples, tokens, spans, … that it was taken over
    std::string warning;    ///< to be shown beside the number; empty: none
};

using SignatureParts = std::vector<std::pair<std::string, std::string>>;

/// "head|key:value|…|n:408|version:heddle-…", as sacreBLEU writes them.
std::string metricSignature(std::string_view head, const SignatureParts& parts, std::int64_t n);

/// A value that does not exist: NaN, and why.
MetricValue undefinedMetric(std::string name, std::string signature, std::string why);

/// The scale of a metric, which decides how its values are printed.
enum class MetricKind {
    Loss,         ///< 0 … ∞; a distance from perfect
    Share,        ///< 0 … 1, shown in per cent
    Score,        ///< 0 … 100
    Correlation,  ///< -1 … 1
    Measure,      ///< any other number
};

struct MetricInfo {
    std::string_view name;   ///< as it is recorded: "bleu"
    std::string_view title;  ///< for people, as inside a sentence: "loss", "BLEU"
    std::string_view unit;   ///< of the number as shown; empty: none
    MetricKind kind = MetricKind::Measure;
    bool higherIsBetter = true;
    int decimals = 4;  ///< decimal places, as shown

    /// Factor from the stored to the displayed value: 100 for shares.
    double shownScale() const { return kind == MetricKind::Share ? 100 : 1; }
};

/// All metrics, in display order. The only place that says in which direction a metric is better.
std::span<const MetricInfo> metricInfos();

/// The metric of that name, ignoring a part after a slash ("f1/PER" is f1); null if unknown.
const MetricInfo* findMetric(std::string_view name);

/// The same; throws Error(InvalidInput), suggesting the nearest name.
const MetricInfo& metricInfo(std::string_view name);

}  // namespace heddle
