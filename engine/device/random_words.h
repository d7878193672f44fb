// SPDX-License-Identifier: Apache-2.0
// Layout of one draw. It must never change, because recorded runs depend on it:
//   key     = the two halves of a 64-bit hash of (seed, stream name)
//   counter = (element / 4 low, element / 4 high, step, micro-step), 32 bits each
//   element e takes word e % 4 of its block
#pragma once

#include "engine/base/philox.h"
#include "engine/device/random.h"

#include <cstdint>
#include <functional>

/// For .cpp files that draw many words.
namespace heddle {

/// The stream of a key, ignoring countersAt, which only the device can read.
inline philox::Stream deviceStreamOf(const RandomKey& key) {
    return {{static_cast<std::uint32_t>(key.key), static_cast<std::uint32_t>(key.key >> 32)},
            static_cast<std::uint32_t>(key.step),
            key.microStep};
}

/// The stream of a key on the CPU; reads countersAt.
inline philox::Stream streamOf(const RandomKey& key) {
    philox::Stream stream = deviceStreamOf(key);
    if (key.countersAt) stream.count(*key.countersAt);
    return stream;
}

/// Receives the words of elements first … first + count - 1.
using UseWords = std::function<void(std::int64_t first, const std::uint32_t* words, std::int64_t count)>;

/// Calls `use` for consecutive runs of at most philox::kWordsAtOnce elements of [0, n), on several threads.
void forEachWords(const RandomKey& key, std::int64_t n, const UseWords& use);

}  // namespace heddle
