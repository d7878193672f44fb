// SPDX-License-Identifier: Apache-2.0
// Parts of scoreHeads(): what a pass over one sentence adds.
#pragma once

#include "engine/analysis/word_alignment.h"
#include "engine/blocks/taps.h"
#include "engine/data/tokenizers/tokenizer.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// Keeps the attention weights of one pass, [B,H,Q,K] by the path of the sublayer.
class WeightTaps final : public Taps {
public:
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string& module, const char* exposure) const override;
    std::map<std::string, at::Tensor> weights;
};

/// Sums [H] over queries, float64.
struct QuerySums {
    at::Tensor previous_H, current_H, next_H, first_H, entropy_H;
    std::int64_t queries = 0, queriesWithNext = 0;
    /// Self-attention: of the queries with two positions or more before them. weights_HQK has as many queries as keys.
    void addSelf(const at::Tensor& weights_HQK);
    /// The entropy of every query, bits.
    void addEntropy(const at::Tensor& weights_HQK);
};

/// The word of each token of a text: its number, by white space, or nothing where the tokens of the words one by one are not
/// those of the text.
std::optional<std::vector<std::int64_t>> wordsOfTokens(const Tokenizer& tokenizer, const std::string& text,
                                                       const std::vector<std::int32_t>& tokens);

/// The words of a pair of sentences, by token.
struct WordsOfPair {
    std::vector<std::int64_t> source, target;
};

/// For each head a link of every target word to the source word with the largest weight: the weights of its tokens added up,
/// mean over the tokens of the target word. weights_HTS: the query of a target token is the position that predicts it; further
/// rows and columns (<eos>) are ignored.
std::vector<std::set<WordLink>> largestWeightLinks(const at::Tensor& weights_HTS, const WordsOfPair& words);

/// Sums [H] over the sequences and the queries of their second half: of the weight on the first occurrence of the query's
/// token, and of that on the token after it. weights_BHQK is of `marks` tokens and then `length` tokens twice.
struct RepeatSums {
    at::Tensor duplicate_H, induction_H;
};
RepeatSums repeatSums(const at::Tensor& weights_BHQK, std::int64_t marks, std::int64_t length);

/// One head's projections among those of `heads` heads: value_ED [G·E,D], of which each head reads one of G groups, and out_DE
/// [D,H·E].
struct HeadProjections {
    at::Tensor value_ED, out_DE;
    std::int64_t head = 0, heads = 1;
};
/// HeadScores::copying, with through_DD = W_Eᵀ W_U, float64 on the CPU. It takes the eigenvalues of W_V W_Eᵀ W_U W_O, [E,E]:
/// but for zeros they are those of W_U W_O W_V W_Eᵀ, [V,V].
double copyingScore(const at::Tensor& through_DD, const HeadProjections& of);

}  // namespace heddle
