// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// How a decoder chooses its tokens.
struct SearchOptions {
    enum class Method { Greedy, Beam, Sample };
    Method method = Method::Greedy;
    std::int64_t nBest = 1;      ///< texts for a line, best first: of the beam, or as many samples; 1 with greedy
    std::int64_t maxTokens = 0;  ///< longest text; 0: 2·source + 10 in translation, otherwise what the model takes
    // Beam.
    std::int64_t beam = 4;     ///< unfinished texts that are followed
    double lengthPenalty = 0;  ///< α of lengthPenalty(); 0: the texts' probabilities decide
    // Sample.
    double temperature = 1;      ///< scores are divided by it: below 1 likely tokens become likelier
    std::int64_t topK = 0;       ///< only among the k likeliest tokens; 0: all
    double topP = 1;             ///< only among the fewest tokens that have this much of the probability; 1: all
    std::uint64_t seed = 1;      ///< equal seeds draw equal texts, whatever is decoded beside them
    std::int64_t firstLine = 0;  ///< number of the first line; every line draws from a stream of its own
};

/// "greedy", "beam" or "sample".
std::string methodName(SearchOptions::Method method);

/// Throws Error(Usage) naming the first value that makes no sense.
void checkSearch(const SearchOptions& options);

/// lp(Y) = (5 + |Y|)^α / (5 + 1)^α of Wu et al. 2016, "Google's Neural Machine Translation System", eq. 14, by which log P is
/// divided; <eos> counts in |Y| where there is one.
double lengthPenalty(double alpha, std::int64_t tokens);

/// What was asked, for a --json document; values that the method does not read are left out.
Json searchDocument(const SearchOptions& options);

}  // namespace heddle
