// SPDX-License-Identifier: Apache-2.0
// Measures for the thesis' hypotheses: attention distance, attention entropy and similarity of a layer's heads ("the vectors
// align together", gated-resnet-thesis, 7.6). They work on plain maps as MapTaken holds them and do no sampling or testing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heddle {

/// Scores or weights of one sentence in one layer: [heads, rows, columns], row-major; a row is a query, a column a key.
struct HeadMaps {
    std::int64_t heads = 0, rows = 0, columns = 0;
    std::span<const float> values;
};

/// A mean and the number of its terms; NaN without terms.
struct CountedMean {
    double mean = 0;
    std::int64_t n = 0;
};

/// The mean weighted by n, to combine sentences or heads.
CountedMean joined(std::span<const CountedMean> means);

/// One value per head: mean over queries of Σ_k w(q,k) |q − k| in tokens; n: queries. Takes weights after softmax; rows are
/// scaled to sum 1, rows without weight (padding) are skipped. In cross-attention q and k index different sentences. Throws
/// Error(InvalidInput) for negative or non-finite weights, or values that do not fit the shape.
std::vector<CountedMean> attentionDistance(const HeadMaps& weights);

/// One value per head: mean over queries of −Σ_k w log2 w in bits, 0 (one key) … log2 columns (uniform); rows are scaled to sum
/// 1, rows without weight are skipped. Throws as attentionDistance().
std::vector<CountedMean> attentionEntropy(const HeadMaps& weights);

/// One value per head: the share of weight on the first key (attention sink, Xiao et al. 2024), mean over all queries but the
/// first, which sees no other key under a causal mask; rows without weight are skipped. Throws as attentionDistance().
std::vector<CountedMean> attentionSink(const HeadMaps& weights);

/// Whether a causal mask hides keys of a head: its map is square, has two rows or more, and is exactly 0 right of the diagonal.
bool isCausal(const HeadMaps& maps, std::int64_t head);

/// The entropy of one head as a recorded map shows it: the mean over its queries, and that of equal weights on the keys that a
/// causal mask leaves them, in bits. NaN and 0 if a row is no distribution: a weight is negative or not finite, or their sum is
/// off by more than 2 % (maps are stored in half precision).
struct HeadEntropy {
    double bits = 0, most = 0;
};
HeadEntropy headEntropy(const HeadMaps& weights, std::int64_t head);

/// A lower score is that of a hidden key (kHiddenScore, engine/blocks/block.h).
inline constexpr float kHiddenBelow = -1e8F;

/// The difference a − b of one head of two models, cell by cell. The mean and the largest leave out cells that are not finite
/// and keys that are hidden in one of the models.
struct HeadDifference {
    std::vector<float> values;         ///< [rows, columns], hidden cells too
    double meanAbsolute = 0;           ///< 0 if every cell is left out
    double largest = 0;                ///< by its magnitude, with its sign
    std::int64_t row = 0, column = 0;  ///< of the largest
};
/// Nothing if the sizes differ: the models read sentences of different lengths.
std::optional<HeadDifference> headDifference(const HeadMaps& a, const HeadMaps& b, std::int64_t head);

/// One value for every pair of heads of a map.
struct HeadPairs {
    std::int64_t heads = 0;
    std::vector<double> values;  ///< [heads, heads]; NaN where undefined
    std::int64_t n = 0;          ///< positions (cosine) or queries (divergence) compared

    double at(std::int64_t a, std::int64_t b) const { return values.at(static_cast<std::size_t>(a * heads + b)); }
};

/// Whether row means are removed first: softmax ignores a constant added to a row.
enum class ScoreCentring { None, Rows };

/// Cosine similarity of the scores of every pair of heads, −1 … 1, over the kept positions that are finite in all heads; with
/// `Rows` each row's mean over these positions is subtracted first. NaN for a head whose scores are all 0. Throws
/// Error(InvalidInput) for values or marks that do not fit the shape.
struct ScoreCosineOptions {
    ScoreCentring centring = ScoreCentring::None;
    std::span<const std::uint8_t> keep = {};  ///< [rows, columns]; empty: all
};
HeadPairs scoreCosine(const HeadMaps& scores, const ScoreCosineOptions& options);

/// Jensen-Shannon divergence of the weights of every pair of heads in bits, 0 (equal) … 1 (no common key): mean over the
/// queries that have weight in all heads. Lin 1991, "Divergence measures based on the Shannon entropy". Throws as
/// attentionDistance().
HeadPairs weightDivergence(const HeadMaps& weights);

/// Similarity of a layer's heads: mean over the pairs a < b that are not NaN; n: pairs.
CountedMean meanOfDifferentHeads(const HeadPairs& pairs);

}  // namespace heddle
