// SPDX-License-Identifier: Apache-2.0
#include "engine/run/search_options.h"

#include "engine/base/error.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle {
namespace {

using Method = SearchOptions::Method;

void checkSampling(const SearchOptions& o) {
    if (!(o.temperature > 0) || !std::isfinite(o.temperature))
        throwUsage("temperature " + std::to_string(o.temperature) + " is not a finite number above 0", "temperature",
                   "use a number above 0, or no sampling for the most likely token");
    if (o.topK < 0) throwUsage("top-k is negative", "top-k", "give the number of tokens to draw from, or 0 for all");
    if (!(o.topP > 0 && o.topP <= 1)) throwUsage("top-p must be above 0 and at most 1", "top-p", "for example 0.9");
}

void checkBeam(const SearchOptions& o) {
    if (o.beam < 1) throwUsage("beam size " + std::to_string(o.beam) + " is too small", "beam", "give 1 or more");
    if (o.nBest > o.beam)
        throwUsage("beam size " + std::to_string(o.beam) + " has no " + std::to_string(o.nBest) + " best", "n-best",
                   "raise beam to at least n-best");
    if (!(o.lengthPenalty >= 0) || !std::isfinite(o.lengthPenalty))
        throwUsage("the length penalty must not be negative", "length-penalty", "use 0 (none) or more; 0.6 is usual");
}

}  // namespace

SearchOptions searchOf(const EvaluateSpec& evaluate) {
    SearchOptions options;
    if (evaluate.beam == 0) return options;
    options.method = Method::Beam;
    options.beam = evaluate.beam;
    options.lengthPenalty = evaluate.lengthPenalty;
    return options;
}

std::string methodName(Method method) {
    if (method == Method::Beam) return "beam";
    return method == Method::Sample ? "sample" : "greedy";
}

void checkSearch(const SearchOptions& o) {
    if (o.nBest < 1) throwUsage("the number of texts must be at least 1", "n-best", "give 1 or more");
    if (o.maxTokens < 0) throwUsage("the number of tokens must not be negative", "max-tokens", "give 1 or more");
    if (o.method == Method::Beam) return checkBeam(o);
    if (o.method == Method::Sample) return checkSampling(o);
    if (o.nBest > 1) throwUsage("greedy decoding gives only one text per line", "n-best", "use beam or sample");
}

double lengthPenalty(double alpha, std::int64_t tokens) { return std::pow((5.0 + static_cast<double>(tokens)) / 6.0, alpha); }

std::string searchSignature(const SearchOptions& o) {
    return o.method == Method::Beam ? fmt::format("|beam:{}|length_penalty:{}", o.beam, o.lengthPenalty) : std::string();
}

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
