// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/example_set.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A head has a label where the score of that label is at least this much.
inline constexpr double kLabelThreshold = 0.5;
/// Repeated random sequences: how many, of how many tokens at most before the repetition, and the seed of the tokens.
inline constexpr std::int64_t kRepeatedSequences = 16, kLongestRepeated = 50;
inline constexpr std::uint64_t kRepeatedSeed = 1;

/// Scores every attention head by what it attends to.
struct LabelsRequest {
    ExampleSet on = {};
    /// A line in the Pharaoh format for each example of the split (parseAlignment()); empty: no error rates.
    std::vector<std::string> alignments;
    std::string alignmentsName;  ///< for errors: the file of `alignments`
};

/// Means over queries of the weight that a head gives to one key; nothing where a score has no meaning for the head. Of the
/// examples, in self-attention: queries with two positions or more before them, so that the keys of these scores differ.
struct HeadScores {
    std::string path;  ///< of the sublayer
    std::int64_t head = 0;
    std::int64_t queries = 0;  ///< of the examples
    std::optional<double> previous, current, next, first;
    /// On random tokens x₁ … x_L x₁ … x_L without another repetition, for the second x_i: the weight on the first x_i, and on
    /// the token after it (induction, Olsson et al. 2022, arXiv 2209.11895; causal language models).
    std::int64_t repeated = 0;  ///< queries
    std::optional<double> duplicate, induction;
    /// Σ λ ÷ Σ |λ| over the eigenvalues of the OV circuit from the embedding to the logits, W_U W_O W_V W_E, −1 … 1 (Elhage et
    /// al. 2021, "A mathematical framework for transformer circuits"); norms are not in it.
    std::optional<double> copying;
    std::optional<double> entropy;    ///< cross-attention: of the weights, bits, mean over queries
    std::optional<double> errorRate;  ///< alignment error rate of the words with the largest weight
    std::int64_t links = 0;           ///< predicted links of `errorRate`
    std::vector<std::string> labels;  ///< labelsOf()
};

/// Returns the titles of the scores that are at least kLabelThreshold, the largest score first. The score of "alignment" is
/// 1 − the error rate.
std::vector<std::string> labelsOf(const HeadScores& scores);

struct LabelsReport {
    std::string split;
    std::int64_t examples = 0;
    std::vector<HeadScores> heads;      ///< in the order of the model
    std::vector<std::string> warnings;  ///< to be shown beside the numbers
    double seconds = 0;
};

}  // namespace heddle
