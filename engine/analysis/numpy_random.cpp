// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/numpy_random.h"

#include <array>
#include <bit>
#include <utility>

namespace heddle {
namespace {

/// SeedSequence's hash of one word after another; `multiplier`: of the constant, from word to word.
class Hash {
public:
    Hash(std::uint32_t constant, std::uint32_t multiplier) : constant_(constant), multiplier_(multiplier) {}
    std::uint32_t operator()(std::uint32_t word) {
        word ^= constant_;
        constant_ *= multiplier_;
        word *= constant_;
        return word ^ (word >> 16);
    }

private:
    std::uint32_t constant_, multiplier_;
};

/// SeedSequence(seed).generate_state(4, uint64).
std::array<std::uint64_t, 4> seedWords(std::uint32_t seed) {
    Hash mixing(0x43b0d7e5, 0x931e8875), drawing(0x8b51f9dd, 0x58f38ded);
    std::array<std::uint32_t, 4> pool{seed, 0, 0, 0};
    for (std::uint32_t& word : pool) word = mixing(word);
    for (std::size_t from = 0; from < pool.size(); ++from)
        for (std::size_t to = 0; to < pool.size(); ++to) {
            if (from == to) continue;
            const std::uint32_t mixed = 0xca01f9dd * pool[to] - 0x4973f715 * mixing(pool[from]);
            pool[to] = mixed ^ (mixed >> 16);
        }
    std::array<std::uint64_t, 4> words{};
    for (std::size_t i = 0; i < 2 * words.size(); ++i)
        words[i / 2] |= std::uint64_t{drawing(pool[i % pool.size()])} << (i % 2 == 0 ? 0 : 32);
    return words;
}

}  // namespace

NumpyRandom::NumpyRandom(std::uint32_t seed) {
    const std::array<std::uint64_t, 4> words = seedWords(seed);
    increment_ = (((Wide{words[2]} << 64) | words[3]) << 1) | 1;
    step();
    state_ += (Wide{words[0]} << 64) | words[1];
    step();
}

void NumpyRandom::step() { state_ = state_ * ((Wide{2549297995355413924U} << 64) | 4865540595714422341U) + increment_; }

std::uint64_t NumpyRandom::next64() {
    step();
    return std::rotr(std::uint64_t(state_ >> 64) ^ std::uint64_t(state_), int(state_ >> 122));
}

std::uint32_t NumpyRandom::next32() {
    if (std::exchange(hasHalf_, !hasHalf_)) return half_;
    const std::uint64_t word = next64();
    half_ = std::uint32_t(word >> 32);
    return std::uint32_t(word);
}

std::uint32_t NumpyRandom::below(std::uint32_t end) {
    if (end == 1) return 0;
    std::uint64_t product = std::uint64_t{next32()} * end;
    const std::uint32_t threshold = (0U - end) % end;  // 2³² mod end
    while (std::uint32_t(product) < threshold) product = std::uint64_t{next32()} * end;
    return std::uint32_t(product >> 32);
}

bool NumpyRandom::coin() {
    if (coinsLeft_ == 0) {
        coins_ = next32();
        coinsLeft_ = 32;
    }
    --coinsLeft_;
    return ((coins_ >> (31 - coinsLeft_)) & 1U) != 0;
}

}  // namespace heddle
