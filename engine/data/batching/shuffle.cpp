// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/shuffle.h"

namespace heddle {

ShuffleRandom::ShuffleRandom(std::uint64_t seed, std::uint64_t epoch, std::uint32_t purpose)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, epoch_(epoch), purpose_(purpose) {}

std::uint64_t ShuffleRandom::below(std::uint64_t bound) {
    const philox::Block words =
        philox::draw({draw_++, static_cast<std::uint32_t>(epoch_), static_cast<std::uint32_t>(epoch_ >> 32), purpose_}, key_);
    return (std::uint64_t{words[1]} << 32 | words[0]) % bound;
}

}  // namespace heddle
