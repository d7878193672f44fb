// SPDX-License-Identifier: Apache-2.0
#include "engine/run/search_options.h"

#include "engine/base/error.h"

#include <cmath>

namespace heddle {
namespace {

using Method = SearchOptions::Method;

void checkSampling(const SearchOptions& o) {
    if (!(o.temperature > 0) || !std::isfinite(o.temperature))
        throwUsage("a temperature of " + std::to_string(o.temperature) + " is not a finite number above 0", "temperature",
                   "give a number above 0, or leave out sampling for the likeliest token");
    if (o.topK < 0) throwUsage("top-k is negative", "top-k", "give the number of tokens to draw from, or 0 for all");
    if (!(o.topP > 0 && o.topP <= 1)) throwUsage("top-p is a probability above 0 and at most 1", "top-p", "for example 0.9");
}

void checkBeam(const SearchOptions& o) {
    if (o.beam < 1) throwUsage("a beam of " + std::to_string(o.beam) + " keeps no hypothesis", "beam", "give 1 or more");
    if (o.nBest > o.beam)
        throwUsage("a beam of " + std::to_string(o.beam) + " has no " + std::to_string(o.nBest) + " best", "n-best",
                   "raise beam to at least n-best");
    if (!(o.lengthPenalty >= 0) || !std::isfinite(o.lengthPenalty))
        throwUsage("a negative length penalty would prefer short texts to likely ones", "length-penalty",
                   "give 0 (none) or more; 0.6 is usual");
}

}  // namespace

std::string methodName(Method method) {
    if (method == Method::Beam) return "beam";
    return method == Method::Sample ? "sample" : "greedy";
}

void checkSearch(const SearchOptions& o) {
    if (o.nBest < 1) throwUsage("no text is wanted", "n-best", "give 1 or more");
    if (o.maxTokens < 0) throwUsage("a text cannot have fewer than no tokens", "max-tokens", "give 1 or more");
    if (o.method == Method::Beam) return checkBeam(o);
    if (o.method == Method::Sample) return checkSampling(o);
    if (o.nBest > 1) throwUsage("greedy decoding gives one text for a line", "n-best", "use beam or sample");
}

double lengthPenalty(double alpha, std::int64_t tokens) { return std::pow((5.0 + static_cast<double>(tokens)) / 6.0, alpha); }

Json searchDocument(const SearchOptions& o) {
    Json document{{"method", methodName(o.method)}, {"n_best", o.nBest}};
    if (o.maxTokens > 0) document["max_tokens"] = o.maxTokens;
    if (o.method == Method::Beam) {
        document["beam"] = o.beam;
        document["length_penalty"] = o.lengthPenalty;
    }
    if (o.method == Method::Sample) {
        document["temperature"] = o.temperature;
        document["top_k"] = o.topK;
        document["top_p"] = o.topP;
        document["seed"] = o.seed;
    }
    return document;
}

}  // namespace heddle
