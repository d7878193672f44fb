// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

/// The longest translation of so many source tokens, in tokens with <eos>: what decoding stops at where nobody asks for more.
inline std::int64_t longestOutput(std::int64_t sourceTokens, std::int64_t maxLen) {
    return std::min(maxLen, 2 * sourceTokens + 10);
}

}  // namespace heddle
