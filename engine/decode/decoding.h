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
    std::int64_t batchTokens = 4096;                           ///< maximum per batch: rows × longest allowed output
    std::function<bool()> interrupted = [] { return false; };  ///< polled by the calling thread while it decodes
    SearchOptions search = {};
    DecodingMemory kept = DecodingMemory::KeysAndValues;
    bool oneByOne = false;           ///< one text after the other, none beside it
    MakeDeviceGraph makeGraph = {};  ///< captures steps of greedy and beam search; empty: no capture
    /// Called by a decoding thread with the reason when steps cannot be captured; they then run uncaptured.
    std::function<void(const std::string&)> onCaptureFailure = [](const std::string&) {};
};

/// A decoded text.
struct Decoded {
    Sentence tokens;            ///< without <eos>
    bool ended = false;         ///< ended with <eos>; otherwise it reached the limit
    double logProbability = 0;  ///< log P(tokens, and <eos> if ended), nats
    double score = 0;           ///< logProbability divided by the length penalty
};
using NBest = std::vector<Decoded>;  ///< best first; ties in the order in which they were found

/// Translates the sources, in order; returns nothing if interrupted. A source without tokens has one translation, the empty
/// one, whoever asks. A text ends at <eos> or after outputLimit() or
/// `search.maxTokens` tokens; <pad> and <sos> are never chosen. Sources are batched by length, batches are decoded in parallel
/// on the CPU's threads, and finished rows leave their batch. Decoding is incremental unless Model::stepObstacle() names an
/// obstacle. With `makeGraph` or on CUDA, greedy and beam search run on the device (DeviceSearch) unless
/// Model::stepCaptureObstacle() names an obstacle. Sources must have at most longestSequence() - 1 tokens. Throws
/// Error(InvalidInput) for a model without encoder or decoder.
std::optional<std::vector<NBest>> decodeTranslations(const Model& model, const std::vector<Sentence>& sources,
                                                     const DecodeOptions& options);

/// Continues <sos> and each prompt with a decoder-only model, likewise; the results do not repeat the prompt. Prompt and
/// continuation have at most longestSequence() tokens. Throws Error(InvalidInput) for another topology, or naming a prompt that
/// is too long.
std::optional<std::vector<NBest>> decodeContinuations(const Model& model, const std::vector<Sentence>& prompts,
                                                      const DecodeOptions& options);

/// Decodes each source with decodeTranslations() and returns the tokens of its best translation.
std::optional<std::vector<Sentence>> bestTranslations(const Model& model, const std::vector<Sentence>& sources,
                                                      const DecodeOptions& options);

/// Longest output for a source of `sourceTokens`: min(max_len, 2·sourceTokens + 10). It bounds the time of an untrained model
/// that never produces <eos>.
std::int64_t outputLimit(std::int64_t sourceTokens, std::int64_t maxLen);

}  // namespace heddle
