// SPDX-License-Identifier: Apache-2.0
// The thesis' hypotheses as measures: how far heads look, where scores are large, and how alike heads are ("the vectors align
// together", gated-resnet-thesis, 7.6). On plain maps, such as MapTaken holds; nothing is sampled or tested here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle {

/// Scores or weights of one sentence in one layer: [heads, rows, columns], row-major; a row is a query, a column a key.
struct HeadMaps {
    std::int64_t heads = 0, rows = 0, columns = 0;
    std::span<const float> values;
};

/// A mean and the number of things that it was taken over; NaN over none.
struct CountedMean {
    double mean = 0;
    std::int64_t n = 0;
};

/// The mean over all, each weighing as its n: to join sentences or heads.
CountedMean joined(std::span<const CountedMean> means);

struct AttentionDistance {
    CountedMean tokens;  ///< mean over queries of Σ_k w(q,k) |q − k|, 0 … length − 1; n: queries
    CountedMean
        relative;  ///< the same divided by length − 1, 0 … 1 (evenly spread weights: about 1/3); over none where length is 1
};

/// One a head. Weights after softmax; rows are scaled to sum 1, rows without weight (padding) are left out. length is the
/// longer of rows and columns. In cross-attention q and k count different sentences. Throws Error(InvalidInput) for negative or
/// non-finite weights, or values that do not fit the shape.
std::vector<AttentionDistance> attentionDistance(const HeadMaps& weights);

/// One a head: mean over queries of −Σ_k w log2 w in bits, 0 (one key) … log2 columns (all alike); rows are scaled to sum 1,
/// rows without weight are left out. Throws as attentionDistance().
std::vector<CountedMean> attentionEntropy(const HeadMaps& weights);

/// A number for every pair of a head of one map (first) with a head of another (second).
struct HeadPairs {
    std::int64_t first = 0, second = 0;
    std::vector<double> values;  ///< [first, second]; NaN where a pair has none
    std::int64_t n = 0;          ///< places (cosine) or queries (divergence) that were compared

    double at(std::int64_t a, std::int64_t b) const { return values.at(static_cast<std::size_t>(a * second + b)); }
};

/// What of the scores is compared. Softmax does not see what is added to a whole row.
enum class ScoreCentring { None, Rows };

/// Cosine of the scores of every pair of heads, −1 … 1, over the places that are finite in both maps and kept; with `Rows` each
/// row's mean over these places is taken off first. NaN for a head without any score but 0. Within a layer a and b are the
/// same. Throws Error(InvalidInput) for maps of different rows or columns.
struct ScoreCosineOptions {
    ScoreCentring centring = ScoreCentring::None;
    std::span<const std::uint8_t> keep = {};  ///< [rows, columns]; empty: all
};
HeadPairs scoreCosine(const HeadMaps& a, const HeadMaps& b, const ScoreCosineOptions& options);

/// Jensen-Shannon divergence of the weights of every pair of heads in bits, 0 (equal) … 1 (never on the same key): mean over
/// the queries that have weight in both. Lin 1991, "Divergence measures based on the Shannon entropy". Throws as
/// attentionDistance() and scoreCosine().
HeadPairs weightDivergence(const HeadMaps& a, const HeadMaps& b);

/// Mean over the pairs of different heads of one map (a < b, square) that have a number; n: pairs. How alike a layer's heads
/// are.
CountedMean meanOfDifferentHeads(const HeadPairs& pairs);

}  // namespace heddle
