// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/blob.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::storage {

/// A chunk holds at most this many values of a series at steps first, first + stride, …
inline constexpr std::int64_t kChunkValues = 4096;

/// Minimum, maximum and mean of consecutive values. minimum and maximum ignore NaN (and are NaN if there is nothing else); mean
/// is over the finite values (NaN if there are none).
struct Summary {
    float minimum, maximum, mean;
    std::uint16_t finite;  ///< number of finite values
};

/// The pyramid over one chunk: an entry of levels[k] summarises 16^(k+1) values, up to one entry for the whole chunk. As a
/// blob: levels in order, finest first; 14 bytes per entry: minimum, maximum, mean (f32), finite (u16), little-endian.
using Levels = std::vector<std::vector<Summary>>;
inline constexpr std::int64_t kFanOut = 16;

Levels summarise(std::span<const float> values);
Blob packLevels(const Levels& levels);
/// `n` is the number of values. Throws StorageError Corrupt when the length is wrong.
Levels unpackLevels(Bytes blob, std::int64_t n);

/// The summary of any number of values.
Summary summaryOf(std::span<const float> values);

}  // namespace heddle::storage
