// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/shuffle.h"

namespace heddle {

ShuffleRandom::ShuffleRandom(std::uint64_t seed, std::uint64_t epoch, std::uint32_t purpose)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, epoch_(epoch), purpose_(purpose) {}

std::uint64_t ShuffleRandom::below(std::uint64_t bound) {
    std::uint32_t c[4] = {draw_++, static_cast<std::uint32_t>(epoch_), static_cast<std::uint32_t>(epoch_ >> 32), purpose_};
    std::uint32_t key[2] = {key_[0], key_[1]};
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0], p1 = std::uint64_t{0xCD9E8D57} * c[2];
        const std::uint32_t next[4] = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(p1),
                                       static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(p0)};
        for (int i = 0; i < 4; ++i) c[i] = next[i];
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return (std::uint64_t{c[1]} << 32 | c[0]) % bound;
}

}  // namespace heddle
