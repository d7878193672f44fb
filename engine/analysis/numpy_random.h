// SPDX-License-Identifier: Apache-2.0
// The random numbers of numpy.random.default_rng(seed) as numpy 1.17 to 2.4 draw them: for tests that give the numbers of
// programs that use them (sacreBLEU). PCG64 is PCG-XSL-RR-128/64 (O'Neill 2014), seeded through numpy's SeedSequence; whole
// numbers by Lemire's method (2019).
#pragma once

#include <cstdint>

namespace heddle {

class NumpyRandom {
public:
    explicit NumpyRandom(std::uint32_t seed);

    /// The next number of rng.integers(0, end, size=…) or rng.choice(end, size=…); `end` from 1 to 2³² − 1.
    std::uint32_t below(std::uint32_t end);
    /// The next one of rng.integers(2, size=…, dtype=bool). All coins belong to one array. Another kind of draw between two
    /// coins gives other numbers than numpy's.
    bool coin();

private:
    __extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): -Wpedantic knows it in this form alone

    void step();
    std::uint64_t next64();
    std::uint32_t next32();

    Wide state_ = 0, increment_ = 0;
    std::uint32_t half_ = 0, coins_ = 0;
    bool hasHalf_ = false;
    int coinsLeft_ = 0;
};

}  // namespace heddle
