// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"), free of torch.
namespace heddle::philox {

using Block = std::array<std::uint32_t, 4>;  ///< a counter, or the four words drawn from it
using Key = std::array<std::uint32_t, 2>;

inline constexpr int kRounds = 10;
inline constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;

constexpr Key nextKey(Key k) { return {k[0] + kWeyl0, k[1] + kWeyl1}; }

/// The four words of one counter: the definition.
constexpr Block draw(Block c, Key k) {
    for (int round = 0; round < kRounds; ++round, k = nextKey(k)) {
        const std::uint64_t p0 = std::uint64_t{kMultiplier0} * c[0], p1 = std::uint64_t{kMultiplier1} * c[2];
        c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
             static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    }
    return c;
}

/// A random stream at one step: the key, and the counter without the block number.
struct Stream {
    Key key;
    std::uint32_t word2 = 0, word3 = 0;
    /// Replaces both words: word2 + 2³² · word3.
    constexpr void count(std::int64_t counters) {
        word2 = static_cast<std::uint32_t>(counters);
        word3 = static_cast<std::uint32_t>(static_cast<std::uint64_t>(counters) >> 32);
    }
};

/// The four words of a block of a stream.
constexpr Block draw(const Stream& stream, std::uint64_t block) {
    return draw({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream.word2, stream.word3},
                stream.key);
}

}  // namespace heddle::philox
