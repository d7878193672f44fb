// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json_fwd.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// Options of decoding.
struct SearchOptions {
    enum class Method { Greedy, Beam, Sample };
    Method method = Method::Greedy;
    std::int64_t nBest = 1;      ///< texts per line, best first: of the beam, or number of samples; 1 with greedy
    std::int64_t maxTokens = 0;  ///< maximum length; 0: 2·source + 10 in translation, otherwise the model's maximum
    // Beam.
    std::int64_t beam = 4;     ///< beam size
    double lengthPenalty = 0;  ///< α of lengthPenalty(); 0: none
    // Sample.
    double temperature = 1;      ///< divides the logits; below 1 it sharpens the distribution
    std::int64_t topK = 0;       ///< restricts sampling to the k likeliest tokens; 0: all
    double topP = 1;             ///< restricts sampling to the smallest set of tokens with this probability; 1: all
    std::uint64_t seed = 1;      ///< equal seeds draw equal texts, independent of the batch
    std::int64_t firstLine = 0;  ///< number of the first line; every line has its own random stream
};

/// Returns the options with which the evaluations of a run decode.
SearchOptions searchOf(const EvaluateSpec& evaluate);

/// "greedy", "beam" or "sample".
std::string methodName(SearchOptions::Method method);

/// Throws Error(Usage) naming the first invalid value.
void checkSearch(const SearchOptions& options);

/// lp(Y) = (5 + |Y|)^α / (5 + 1)^α of Wu et al. 2016, "Google's Neural Machine Translation System", eq. 14, by which log P is
/// divided; <eos> counts in |Y| where there is one.
double lengthPenalty(double alpha, std::int64_t tokens);

/// Returns what the search adds to the signature of a metric of decoded texts: "|beam:5|length_penalty:0.6"; nothing for
/// greedy search.
std::string searchSignature(const SearchOptions& options);

/// The options for a --json document; omits values that the method does not use.
Json searchDocument(const SearchOptions& options);

}  // namespace heddle
