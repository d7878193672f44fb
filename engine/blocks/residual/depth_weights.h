// SPDX-License-Identifier: Apache-2.0
// What the blocks share that weigh states of earlier layers (engine/blocks/streams.h).
#pragma once

#include "engine/spec/catalogue.h"

#include <cstdint>

namespace heddle {

/// The tap of the weights, one for each state that the block reads.
inline constexpr const char* kDepthWeight = "weight";

/// How many states a block of DepthReading::Sums weighs: the stack's input, the sums of earlier sublayers and its own.
inline std::int64_t sumsWeighed(const BlockContext& where) { return where.before + 2; }

}  // namespace heddle
