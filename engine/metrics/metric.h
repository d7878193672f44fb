// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

/// One number of a metric, with what is needed to read it and to get it again.
struct MetricValue {
    std::string name;       ///< of metricInfo(), or such a name and a part of the whole: "f1/PER"
    double value = 0;       ///< NaN: undefined for these data, and `warning` says why
    std::string signature;  ///< "f1|average:binary|positive:1|n:408|version:heddle-…": everything that changes the number
    std::int64_t n = 0;     ///< examples, tokens, spans, … that it was taken over
    std::string warning;    ///< what has to be read beside the number; empty: nothing
};

using SignatureParts = std::vector<std::pair<std::string, std::string>>;

/// "head|key:value|…|n:408|version:heddle-…", as sacreBLEU writes them.
std::string metricSignature(std::string_view head, const SignatureParts& parts, std::int64_t n);

/// A value that does not exist: NaN, and why.
MetricValue undefinedMetric(std::string name, std::string signature, std::string why);

/// What a metric's numbers are, and so how they are written.
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
    bool isGoal = true;  ///< may decide between two checkpoints; false: it only describes
    int decimals = 4;    ///< behind the point, as shown

    /// What the stored value is multiplied with where it is shown: 100 for shares.
    double shownScale() const { return kind == MetricKind::Share ? 100 : 1; }
};

/// All metrics, in the order in which people look for them. The one place that says which way is better.
std::span<const MetricInfo> metricInfos();

/// The metric of that name, the part behind a slash aside ("f1/PER" is f1); null for one that is not in the table.
const MetricInfo* findMetric(std::string_view name);

/// The same; throws Error(InvalidInput) with the nearest name.
const MetricInfo& metricInfo(std::string_view name);

}  // namespace heddle
