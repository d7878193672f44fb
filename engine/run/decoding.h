// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/search_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A request to decode lines.
struct DecodeRequest {
    std::vector<std::string> lines;  ///< sentences to translate, or prompts to continue
    SearchOptions search;
    enum class Attention { None, Cross } attention = Attention::None;  ///< attention to return for the best text of a line
};

/// The attention weights of one layer; of one pass if layers share their weights.
struct AttentionMap {
    std::string path;       ///< "decoder.layers.1.cross"
    std::int64_t pass = 0;  ///< index of the pass through that path
    std::int64_t heads = 0, rows = 0, columns = 0;
    std::vector<float> values;  ///< [heads, rows, columns]; a row sums to 1
};

struct Hypothesis {
    std::string text;
    std::vector<std::string> tokens;  ///< generated tokens, without <eos>
    bool ended = false;               ///< ended with <eos>; otherwise it reached the limit
    double logProbability = 0;        ///< log P of these tokens under the model, nats
    double score = 0;                 ///< logProbability divided by the length penalty: the sort key
    std::vector<AttentionMap> cross;  ///< row: the step that produced a token or <eos>; column: source token, last <eos>
};

struct DecodedLine {
    std::vector<std::string> sourceTokens;  ///< tokens of the input line, without <eos>
    std::vector<Hypothesis> hypotheses;     ///< best first; at least one
};

}  // namespace heddle
