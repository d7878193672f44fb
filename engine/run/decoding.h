// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/search_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// What a decoder is asked to write.
struct DecodeRequest {
    std::vector<std::string> lines;  ///< sentences to be translated, or beginnings to be continued
    SearchOptions search;
    enum class Attention { None, Cross } attention = Attention::None;  ///< of the best text of a line
};

/// The attention weights of one layer; where layers share their weights, of one pass through them.
struct AttentionMap {
    std::string path;       ///< "decoder.layers.1.cross"
    std::int64_t pass = 0;  ///< counts the passes through that path
    std::int64_t heads = 0, rows = 0, columns = 0;
    std::vector<float> values;  ///< [heads, rows, columns]; a row sums to 1
};

struct Hypothesis {
    std::string text;
    std::vector<std::string> tokens;  ///< of what was written, without <eos>
    bool ended = false;               ///< <eos> came; otherwise the longest text that was allowed
    double logProbability = 0;        ///< log P of these tokens under the model, nats
    double score = 0;                 ///< the same by the length penalty: what texts are ordered by
    std::vector<AttentionMap> cross;  ///< row: the step that wrote a token or <eos>; column: token of the source, last <eos>
};

struct DecodedLine {
    std::vector<std::string> sourceTokens;  ///< of the line as given, without <eos>
    std::vector<Hypothesis> hypotheses;     ///< best first; at least one
};

}  // namespace heddle
