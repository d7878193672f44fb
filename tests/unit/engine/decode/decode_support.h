// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of decoding share: small models, and texts found without any search.

#include "engine/decode/decoding.h"
#include "tests/unit/engine/tiny_model.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::decode_support {

/// A small model in float64 whose next-token distributions are far from even; `over` is laid over it.
std::unique_ptr<Model> sharpModel(const Json& over = Json::object(), std::uint64_t seed = 1);

/// Sources of 0 to 6 tokens, below 11.
std::vector<Sentence> someSources();

DecodeOptions options();                                         ///< greedy, on the CPU
DecodeOptions beam(std::int64_t width, std::int64_t nBest = 1);  ///< beam search

std::vector<Sentence> tokensOf(const std::vector<NBest>& decoded);  ///< of the best texts
/// Expects the same tokens, and scores within `tolerance`: 1e-5 for float32 on one device, 1e-4 between devices.
void expectEqual(const std::vector<NBest>& a, const std::vector<NBest>& b, double tolerance = 1e-5);

/// The memory of one source.
Memory memoryOf(const Model& model, const Sentence& source);

/// log P of the next token after each of the tokens, [T,V].
at::Tensor logProbabilities(const Model& model, const Sentence& tokens, const Memory& memory);

/// Greedy decoding by its definition: the whole prefix at every position.
Decoded greedyByPrefixes(const Model& model, const Sentence& prefix, const Memory& memory, std::int64_t limit);

/// Every text of at most `limit` tokens with its log P: those that end, and the longest that do not. Without <pad> and <sos>.
NBest everyText(const Model& model, const Memory& memory, std::int64_t limit);

}  // namespace heddle::decode_support
