// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/dataset.h"
#include "engine/metrics/bleu.h"
#include "engine/train/decoding.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct LossResult {
    double loss = 0;      ///< mean -log p of the target tokens, nats, without label smoothing; perplexity is its exponential
    double accuracy = 0;  ///< share of target tokens predicted right under teacher forcing
    std::int64_t tokens = 0;  ///< target tokens; <eos> counts, padding does not
};

struct BleuResult {
    BleuScore score;
    std::vector<std::string> hypotheses;  ///< joined text, in the corpus's order
};

/// Evaluates a model as it stands. Shares no state with training: no gradient, no random number, a Forward of its own. Results
/// are empty when `options.interrupted` said so, between batches or decoded positions.
class Evaluator {
public:
    /// `options` also says how large a batch may be. The model and the data must outlive it.
    Evaluator(const Model& model, const TranslationData& data, const TokenizerSpec& tokenizer, DecodeOptions options);

    std::optional<LossResult> loss(const EncodedCorpus& corpus) const;

    /// Free-running greedy translations of the first `sentences` pairs (0: all) against the raw references: corpus BLEU on 13a
    /// words, or on the words as they are (tok:none) where the files are already tokenised (words split at white space);
    /// case:lc if the tokenizer lowers.
    std::optional<BleuResult> bleu(const EncodedCorpus& corpus, std::int64_t sentences) const;

private:
    const Model& model_;
    const TranslationData& data_;
    BleuOptions bleuOptions_;
    DecodeOptions options_;
};

/// Translates lines with a model; in order. An empty line gives an empty translation.
struct TranslatedLine {
    std::string text;
    std::vector<std::string> sourceTokens, targetTokens;
};
/// Throws Error(InvalidInput) naming the first line that is longer than the model's max_len.
std::vector<TranslatedLine> translateLines(const Model& model, const Tokenizer& source, const Tokenizer& target,
                                           const std::vector<std::string>& lines, const DecodeOptions& options);

}  // namespace heddle
