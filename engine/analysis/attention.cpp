// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/attention.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Mean {
    double sum = 0;
    std::int64_t n = 0;

    void add(double value) {
        sum += value;
        ++n;
    }
    CountedMean counted() const { return {n == 0 ? kNan : sum / static_cast<double>(n), n}; }
};

void checkShape(const HeadMaps& maps) {
    const bool fits = maps.heads > 0 && maps.rows > 0 && maps.columns > 0 &&
                      static_cast<std::int64_t>(maps.values.size()) == maps.heads * maps.rows * maps.columns;
    if (!fits)
        throwInvalid(fmt::format("{} values for {} heads of {} × {}", maps.values.size(), maps.heads, maps.rows, maps.columns),
                     "attention maps", "give heads · rows · columns values, at least one");
}

void checkKeep(const HeadMaps& maps, std::span<const std::uint8_t> keep) {
    if (!keep.empty() && static_cast<std::int64_t>(keep.size()) != maps.rows * maps.columns)
        throwInvalid(fmt::format("{} marks for {} × {} places", keep.size(), maps.rows, maps.columns), "attention mask",
                     "give rows · columns marks, or none");
}

void checkWeights(const HeadMaps& weights) {
    checkShape(weights);
    for (const float w : weights.values)
        if (!std::isfinite(w) || w < 0)
            throwInvalid(fmt::format("a weight of {}", w), "attention maps", "give weights after softmax, not scores");
}

std::span<const float> rowOf(const HeadMaps& maps, std::int64_t head, std::int64_t row) {
    return maps.values.subspan(static_cast<std::size_t>((head * maps.rows + row) * maps.columns),
                               static_cast<std::size_t>(maps.columns));
}

double sumOf(std::span<const float> row) {
    double sum = 0;
    for (const float w : row) sum += w;
    return sum;
}

/// Scores of one head at the given positions, minus the row's mean with ScoreCentring::Rows.
std::vector<double> scoresAtPositions(const HeadMaps& maps, std::int64_t head,
                                      const std::vector<std::vector<std::size_t>>& places, ScoreCentring centring) {
    std::vector<double> scores;
    for (std::size_t q = 0; q < places.size(); ++q) {
        const auto row = rowOf(maps, head, static_cast<std::int64_t>(q));
        double mean = 0;
        if (centring == ScoreCentring::Rows) {
            for (const std::size_t k : places[q]) mean += row[k];
            mean /= static_cast<double>(std::max<std::size_t>(1, places[q].size()));
        }
        for (const std::size_t k : places[q]) scores.push_back(row[k] - mean);
    }
    return scores;
}

/// Columns of every row that are kept and finite in all heads, so that all pairs use the same positions.
std::vector<std::vector<std::size_t>> comparablePositions(const HeadMaps& maps, std::span<const std::uint8_t> keep) {
    std::vector<std::vector<std::size_t>> places(static_cast<std::size_t>(maps.rows));
    const auto isFinite = [&](std::int64_t q, std::size_t k) {
        for (std::int64_t head = 0; head < maps.heads; ++head)
            if (!std::isfinite(rowOf(maps, head, q)[k])) return false;
        return true;
    };
    for (std::int64_t q = 0; q < maps.rows; ++q)
        for (std::size_t k = 0; k < static_cast<std::size_t>(maps.columns); ++k) {
            const bool kept = keep.empty() || keep[static_cast<std::size_t>(q * maps.columns) + k] != 0;
            if (kept && isFinite(q, k)) places[static_cast<std::size_t>(q)].push_back(k);
        }
    return places;
}

double cosine(const std::vector<double>& x, const std::vector<double>& y) {
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    return xx == 0 || yy == 0 ? kNan : std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
}

/// p log2(p / m); 0 where p is 0.
double relativeBits(double p, double m) { return p == 0 ? 0 : p * std::log2(p / m); }

double divergence(std::span<const float> a, std::span<const float> b) {
    const double sumA = sumOf(a), sumB = sumOf(b);
    double bits = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double p = a[k] / sumA, q = b[k] / sumB, m = (p + q) / 2;
        bits += (relativeBits(p, m) + relativeBits(q, m)) / 2;
    }
    return std::clamp(bits, 0.0, 1.0);
}

/// For every head, the mean of measure(query, row, sum of the row) over the queries from `first` on whose row has weight.
template <class Measure>
std::vector<CountedMean> meansOverQueries(const HeadMaps& weights, const Measure& measure, std::int64_t first = 0) {
    checkWeights(weights);
    std::vector<CountedMean> means;
    for (std::int64_t head = 0; head < weights.heads; ++head) {
        Mean mean;
        for (std::int64_t q = first; q < weights.rows; ++q) {
            const auto row = rowOf(weights, head, q);
            const double total = sumOf(row);
            if (total != 0) mean.add(measure(q, row, total));
        }
        means.push_back(mean.counted());
    }
    return means;
}

/// Queries whose row has weight in every head.
std::vector<std::int64_t> comparableRows(const HeadMaps& maps) {
    std::vector<std::int64_t> rows;
    const auto hasWeight = [&](std::int64_t q) {
        for (std::int64_t head = 0; head < maps.heads; ++head)
            if (sumOf(rowOf(maps, head, q)) == 0) return false;
        return true;
    };
    for (std::int64_t q = 0; q < maps.rows; ++q)
        if (hasWeight(q)) rows.push_back(q);
    return rows;
}

}  // namespace

CountedMean joined(std::span<const CountedMean> means) {
    Mean all;
    for (const CountedMean& m : means)
        if (m.n > 0) {
            all.sum += m.mean * static_cast<double>(m.n);
            all.n += m.n;
        }
    return all.counted();
}

std::vector<CountedMean> attentionDistance(const HeadMaps& weights) {
    return meansOverQueries(weights, [](std::int64_t q, std::span<const float> row, double total) {
        double distance = 0;
        for (std::size_t k = 0; k < row.size(); ++k)
            distance += row[k] * static_cast<double>(std::abs(q - static_cast<std::int64_t>(k)));
        return distance / total;
    });
}

std::vector<CountedMean> attentionEntropy(const HeadMaps& weights) {
    return meansOverQueries(weights, [](std::int64_t, std::span<const float> row, double total) {
        double entropy = 0;
        for (const float w : row) entropy -= relativeBits(w / total, 1);
        return std::max(0.0, entropy);
    });
}

std::vector<CountedMean> attentionSink(const HeadMaps& weights) {
    return meansOverQueries(
        weights, [](std::int64_t, std::span<const float> row, double total) { return row.front() / total; }, 1);
}

bool isCausal(const HeadMaps& maps, std::int64_t head) {
    if (maps.rows != maps.columns || maps.rows < 2) return false;
    for (std::int64_t q = 0; q < maps.rows; ++q) {
        const auto hidden = rowOf(maps, head, q).subspan(static_cast<std::size_t>(q + 1));
        if (std::any_of(hidden.begin(), hidden.end(), [](float w) { return w != 0; })) return false;
    }
    return true;
}

HeadEntropy headEntropy(const HeadMaps& weights, std::int64_t head) {
    constexpr double kTolerance = 0.02;
    const HeadEntropy none{kNan, 0};
    if (weights.rows == 0 || weights.columns == 0) return none;
    const bool causal = isCausal(weights, head);
    HeadEntropy sum;
    for (std::int64_t q = 0; q < weights.rows; ++q) {
        const auto row = rowOf(weights, head, q);
        if (!std::all_of(row.begin(), row.end(), [](float w) { return std::isfinite(w) && w >= 0; })) return none;
        if (std::abs(sumOf(row) - 1) > kTolerance) return none;
        for (const float w : row) sum.bits -= relativeBits(w, 1);
        sum.most += std::log2(static_cast<double>(causal ? q + 1 : weights.columns));
    }
    const auto rows = static_cast<double>(weights.rows);
    return {sum.bits / rows, sum.most / rows};
}

std::optional<HeadDifference> headDifference(const HeadMaps& a, const HeadMaps& b, std::int64_t head) {
    if (a.rows != b.rows || a.columns != b.columns) return std::nullopt;
    const bool causal = isCausal(a, head) || isCausal(b, head);
    HeadDifference made;
    Mean mean;
    for (std::int64_t q = 0; q < a.rows; ++q) {
        const auto ofA = rowOf(a, head, q), ofB = rowOf(b, head, q);
        for (std::int64_t k = 0; k < a.columns; ++k) {
            const float x = ofA[static_cast<std::size_t>(k)], y = ofB[static_cast<std::size_t>(k)], difference = x - y;
            made.values.push_back(difference);
            const bool isHidden = (causal && k > q) || x < kHiddenBelow || y < kHiddenBelow;
            if (isHidden || !std::isfinite(difference)) continue;
            mean.add(std::abs(difference));
            if (std::abs(difference) <= std::abs(made.largest)) continue;
            made.largest = difference;
            made.row = q, made.column = k;
        }
    }
    if (mean.n > 0) made.meanAbsolute = mean.counted().mean;
    return made;
}

HeadPairs scoreCosine(const HeadMaps& scores, const ScoreCosineOptions& options) {
    checkShape(scores);
    checkKeep(scores, options.keep);
    const auto places = comparablePositions(scores, options.keep);
    HeadPairs pairs{scores.heads, {}, 0};
    for (const auto& row : places) pairs.n += static_cast<std::int64_t>(row.size());
    std::vector<std::vector<double>> byHead;
    for (std::int64_t head = 0; head < scores.heads; ++head)
        byHead.push_back(scoresAtPositions(scores, head, places, options.centring));
    for (const auto& a : byHead)
        for (const auto& b : byHead) pairs.values.push_back(cosine(a, b));
    return pairs;
}

HeadPairs weightDivergence(const HeadMaps& weights) {
    checkWeights(weights);
    const std::vector<std::int64_t> rows = comparableRows(weights);
    HeadPairs pairs{weights.heads, {}, static_cast<std::int64_t>(rows.size())};
    for (std::int64_t a = 0; a < weights.heads; ++a)
        for (std::int64_t b = 0; b < weights.heads; ++b) {
            Mean mean;
            for (const std::int64_t q : rows) mean.add(divergence(rowOf(weights, a, q), rowOf(weights, b, q)));
            pairs.values.push_back(mean.counted().mean);
        }
    return pairs;
}

CountedMean meanOfDifferentHeads(const HeadPairs& pairs) {
    Mean mean;
    for (std::int64_t a = 0; a < pairs.heads; ++a)
        for (std::int64_t b = a + 1; b < pairs.heads; ++b)
            if (!std::isnan(pairs.at(a, b))) mean.add(pairs.at(a, b));
    return mean.counted();
}

}  // namespace heddle
