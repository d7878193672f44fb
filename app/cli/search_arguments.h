// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "app/cli/context.h"
#include "app/cli/open_run.h"
#include "engine/run/engine.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// The search options of the command line.
struct SearchArguments {
    std::optional<std::int64_t> beam, nBest, topK, seed, maxTokens;
    std::optional<double> lengthPenalty, temperature, topP;
    bool sample = false;
};

/// Declares --beam, --length-penalty, --n-best, --sample, --temperature, --top-k, --top-p, --seed and --max-tokens.
void addSearchOptions(CommandBuilder& command, SearchArguments& arguments);

/// --beam selects beam search, --sample or one of its options sampling; otherwise greedy. Throws Error(Usage) for options of
/// two searches.
SearchOptions searchOf(const SearchArguments& arguments);

/// Decodes TEXT or the lines of standard input in batches, and prints for each line the best text; with n > 1 n lines of rank,
/// score and text, separated by tabs; with scores log P, log P per token and text. Calls `each` with every line and its result.
struct LineDecoder {
    std::function<std::vector<DecodedLine>(const DecodeRequest&)> decode;
    DecodeRequest request;  ///< search and attention; lines are set by decodeLines()
    bool scores = false;    ///< print score, log-probability and text, separated by tabs
    std::function<void(const std::string& line, const DecodedLine& decoded)> each;
};
void decodeLines(LineDecoder decoder, const std::string& text, const Context& context);

/// A line's texts for a --json document.
Json hypothesesDocument(const DecodedLine& line);

/// With --json: {"schema","run","step","search","lines"}.
void printDecoded(const char* schema, const OpenedRun& opened, const SearchOptions& search, Json lines, const Context& context);

}  // namespace heddle::app
