// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/device_graph.h"
#include "engine/device/precision.h"
#include "engine/model/model.h"
#include "engine/run/search_options.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Token ids of one sentence, without <sos> and <eos>.
using Sentence = std::vector<std::int32_t>;

struct DecodeOptions {
    at::Device device;
    Precision precision = Precision::Float32;
    std::int64_t batchTokens = 4096;                           ///< of a batch at most: rows × longest output allowed
    std::function<bool()> interrupted = [] { return false; };  ///< asked by the calling thread while it decodes
    SearchOptions search = {};
    std::vector<std::size_t> lines = {};  ///< number of each text after search.firstLine, for its random stream; empty: 0, 1, …
    MakeDeviceGraph makeGraph = {};  ///< of the device, for positions of greedy and beam search; empty: they are not captured
    /// Called by a decoding thread with the reason where positions cannot be captured; they are then launched one by one.
    std::function<void(const std::string&)> uncaptured = [](const std::string&) {};
};

/// What was written for one sentence or prompt.
struct Decoded {
    Sentence tokens;            ///< without <eos>
    bool ended = false;         ///< <eos> came; otherwise the limit cut it off
    double logProbability = 0;  ///< log P(tokens, and <eos> if it came), nats
    double score = 0;           ///< logProbability by the length penalty
};
using NBest = std::vector<Decoded>;  ///< best first; equal scores in the order in which they were found

/// Translations of the sources, in their order; nothing if interrupted. A text ends at <eos> or after as many tokens as
/// outputLimit() or `search.maxTokens` allow; <pad> and <sos> are never chosen. Sources are batched by length, batches
/// are decoded side by side on the CPU's threads, rows that are done leave their batch, and what was computed for earlier
/// tokens is kept, unless Model::stepObstacle() says that it cannot be. With `makeGraph` or on CUDA greedy and beam search
/// choose on the device (DeviceSearch), unless Model::stepCaptureObstacle() says that they cannot. Sources must be at most
/// longestSequence() - 1 tokens long. Throws Error(InvalidInput) for a model without encoder or decoder.
std::optional<std::vector<NBest>> decodeTranslations(const Model& model, const std::vector<Sentence>& sources,
                                                     const DecodeOptions& options);

/// What a decoder without an encoder writes after <sos> and each prompt (its tokens are not repeated), likewise, up to
/// longestSequence() tokens with the prompt. Throws Error(InvalidInput) for another model, or naming a prompt that is too long.
std::optional<std::vector<NBest>> decodeContinuations(const Model& model, const std::vector<Sentence>& prompts,
                                                      const DecodeOptions& options);

/// The tokens of decodeTranslations() with greedy search, whatever `options.search` says.
std::optional<std::vector<Sentence>> greedyDecode(const Model& model, const std::vector<Sentence>& sources,
                                                  const DecodeOptions& options);

/// Longest output for a source of `sourceTokens`: min(max_len, 2·sourceTokens + 10), so that a model that has not learned to
/// stop yet cannot spend an evaluation on one sentence.
std::int64_t outputLimit(std::int64_t sourceTokens, std::int64_t maxLen);

}  // namespace heddle
