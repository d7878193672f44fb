// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace heddle {

/// Ids of the special tokens that every vocabulary of Heddle has, and their texts.
inline constexpr std::int32_t kUnk = 0, kPad = 1, kSos = 2, kEos = 3;
inline constexpr std::array<const char*, 4> kSpecialTokens{"<unk>", "<pad>", "<sos>", "<eos>"};  ///< by id
inline constexpr std::int32_t kSpecials = kSpecialTokens.size();
/// Id of the mask token, which only vocabularies for masked language modelling have. It follows the other special tokens.
inline constexpr std::int32_t kMask = kSpecials;
inline constexpr const char* kMaskToken = "<mask>";

}  // namespace heddle
