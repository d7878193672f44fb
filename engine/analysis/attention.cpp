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

void checkSameGrid(const HeadMaps& a, const HeadMaps& b) {
    if (a.rows != b.rows || a.columns != b.columns)
        throwInvalid(fmt::format("maps of {} × {} and {} × {}", a.rows, a.columns, b.rows, b.columns), "attention maps",
                     "compare layers on the same sentence");
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

/// Columns of every row that are kept and finite in all heads of both maps, so that all pairs use the same positions.
std::vector<std::vector<std::size_t>> comparablePositions(const HeadMaps& a, const HeadMaps& b,
                                                          std::span<const std::uint8_t> keep) {
    std::vector<std::vector<std::size_t>> places(static_cast<std::size_t>(a.rows));
    const auto isFinite = [](const HeadMaps& maps, std::int64_t q, std::size_t k) {
        for (std::int64_t head = 0; head < maps.heads; ++head)
            if (!std::isfinite(rowOf(maps, head, q)[k])) return false;
        return true;
    };
    for (std::int64_t q = 0; q < a.rows; ++q)
        for (std::size_t k = 0; k < static_cast<std::size_t>(a.columns); ++k) {
            const bool kept = keep.empty() || keep[static_cast<std::size_t>(q * a.columns) + k] != 0;
            if (kept && isFinite(a, q, k) && isFinite(b, q, k)) places[static_cast<std::size_t>(q)].push_back(k);
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

/// For every head, the mean of measure(query, row, sum of the row) over the queries whose row has weight.
template <class Measure>
std::vector<CountedMean> meansOverQueries(const HeadMaps& weights, const Measure& measure) {
    checkWeights(weights);
    std::vector<CountedMean> means;
    for (std::int64_t head = 0; head < weights.heads; ++head) {
        Mean mean;
        for (std::int64_t q = 0; q < weights.rows; ++q) {
            const auto row = rowOf(weights, head, q);
            const double total = sumOf(row);
            if (total != 0) mean.add(measure(q, row, total));
        }
        means.push_back(mean.counted());
    }
    return means;
}

/// Queries whose row has weight in every head of both maps.
std::vector<std::int64_t> comparableRows(const HeadMaps& a, const HeadMaps& b) {
    std::vector<std::int64_t> rows;
    const auto hasWeight = [](const HeadMaps& maps, std::int64_t q) {
        for (std::int64_t head = 0; head < maps.heads; ++head)
            if (sumOf(rowOf(maps, head, q)) == 0) return false;
        return true;
    };
    for (std::int64_t q = 0; q < a.rows; ++q)
        if (hasWeight(a, q) && hasWeight(b, q)) rows.push_back(q);
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

std::vector<AttentionDistance> attentionDistance(const HeadMaps& weights) {
    const auto means = meansOverQueries(weights, [](std::int64_t q, std::span<const float> row, double total) {
        double distance = 0;
        for (std::size_t k = 0; k < row.size(); ++k)
            distance += row[k] * static_cast<double>(std::abs(q - static_cast<std::int64_t>(k)));
        return distance / total;
    });
    const auto furthest = static_cast<double>(std::max(weights.rows, weights.columns) - 1);
    std::vector<AttentionDistance> distances;
    for (const CountedMean& mean : means)
        distances.push_back({mean, furthest > 0 ? CountedMean{mean.mean / furthest, mean.n} : CountedMean{kNan, 0}});
    return distances;
}

std::vector<CountedMean> attentionEntropy(const HeadMaps& weights) {
    return meansOverQueries(weights, [](std::int64_t, std::span<const float> row, double total) {
        double entropy = 0;
        for (const float w : row) entropy -= relativeBits(w / total, 1);
        return std::max(0.0, entropy);
    });
}

HeadPairs scoreCosine(const HeadMaps& a, const HeadMaps& b, const ScoreCosineOptions& options) {
    checkShape(a);
    checkShape(b);
    checkSameGrid(a, b);
    checkKeep(a, options.keep);
    const auto places = comparablePositions(a, b, options.keep);
    HeadPairs pairs{a.heads, b.heads, {}, 0};
    for (const auto& row : places) pairs.n += static_cast<std::int64_t>(row.size());
    std::vector<std::vector<double>> scoresOfB;
    for (std::int64_t head = 0; head < b.heads; ++head)
        scoresOfB.push_back(scoresAtPositions(b, head, places, options.centring));
    for (std::int64_t head = 0; head < a.heads; ++head) {
        const std::vector<double> scoresOfA = scoresAtPositions(a, head, places, options.centring);
        for (const auto& other : scoresOfB) pairs.values.push_back(cosine(scoresOfA, other));
    }
    return pairs;
}

HeadPairs weightDivergence(const HeadMaps& a, const HeadMaps& b) {
    checkWeights(a);
    checkWeights(b);
    checkSameGrid(a, b);
    const std::vector<std::int64_t> rows = comparableRows(a, b);
    HeadPairs pairs{a.heads, b.heads, {}, static_cast<std::int64_t>(rows.size())};
    for (std::int64_t first = 0; first < a.heads; ++first)
        for (std::int64_t second = 0; second < b.heads; ++second) {
            Mean mean;
            for (const std::int64_t q : rows) mean.add(divergence(rowOf(a, first, q), rowOf(b, second, q)));
            pairs.values.push_back(mean.counted().mean);
        }
    return pairs;
}

CountedMean meanOfDifferentHeads(const HeadPairs& pairs) {
    if (pairs.first != pairs.second)
        throwInvalid(fmt::format("{} heads against {}", pairs.first, pairs.second), "pairs of one layer's heads",
                     "compare a layer with itself");
    Mean mean;
    for (std::int64_t a = 0; a < pairs.first; ++a)
        for (std::int64_t b = a + 1; b < pairs.second; ++b)
            if (!std::isnan(pairs.at(a, b))) mean.add(pairs.at(a, b));
    return mean.counted();
}

}  // namespace heddle
