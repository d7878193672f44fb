// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/philox.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {

/// Stateless random numbers for data order, by Philox4x32-10. The key is the seed; the counter is (draw, epoch, purpose). Equal
/// on every machine; torch-free.
class ShuffleRandom {
public:
    ShuffleRandom(std::uint64_t seed, std::uint64_t epoch, std::uint32_t purpose);

    /// Uniform in [0, bound), bound > 0: 64 random bits modulo the bound, whose bias (below bound/2^64) is invisible.
    std::uint64_t below(std::uint64_t bound);

private:
    philox::Key key_;
    std::uint64_t epoch_;
    std::uint32_t purpose_;
    std::uint32_t draw_ = 0;
};

/// Shuffles in place (Fisher–Yates, from the back).
template <typename Element>
void shuffle(std::vector<Element>& elements, ShuffleRandom random) {
    for (std::size_t left = elements.size(); left > 1; --left) std::swap(elements[left - 1], elements[random.below(left)]);
}

}  // namespace heddle
