// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/philox.h"

#include <cstdint>

namespace heddle::philox {

inline constexpr int kWordsAtOnce = 128;

/// The words of blocks first … first+31 of a stream, in order (128 words), using the processor's widest instructions; equal to
/// draw() bit for bit.
void drawWords(const Stream& stream, std::uint64_t firstBlock, std::uint32_t words[kWordsAtOnce]);

}  // namespace heddle::philox
