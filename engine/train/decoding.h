// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/precision.h"
#include "engine/model/model.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace heddle {

/// Token ids of one sentence, without <sos> and <eos>.
using Sentence = std::vector<std::int32_t>;

struct DecodeOptions {
    at::Device device;
    Precision precision = Precision::Float32;
    std::int64_t batchTokens = 4096;                           ///< rows × longest output allowed
    std::function<bool()> interrupted = [] { return false; };  ///< asked before every position
};

/// Greedy (arg max) decoding, free running, in the order of the sources; nothing if interrupted. A sentence ends at <eos> or
/// after outputLimit() tokens; <pad> and <sos> are never chosen. Sources are batched by length and rows that are done leave the
/// batch. The decoder is run on the whole prefix at every position: the work grows with the square of the length.
/// Sources must be at most max_len - 1 tokens long.
std::optional<std::vector<Sentence>> greedyDecode(const Model& model, const std::vector<Sentence>& sources,
                                                  const DecodeOptions& options);

/// Longest output for a source of `sourceTokens`: min(max_len, 2·sourceTokens + 10), so that a model that has not learned to
/// stop yet cannot spend an evaluation on one sentence.
std::int64_t outputLimit(std::int64_t sourceTokens, std::int64_t maxLen);

}  // namespace heddle
