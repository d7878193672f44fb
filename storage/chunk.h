// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/series_codec.h"

#include <optional>

namespace heddle::storage {

/// Limits of steps and strides, so that computations cannot overflow. The writer refuses larger values; the reader treats them
/// as damage.
inline constexpr std::int64_t kLargestStep = std::int64_t{1} << 53, kLargestStride = std::int64_t{1} << 40;

/// A row of table chunk without its blobs. Both checksums include its numbers.
struct ChunkRow {
    std::int64_t id = 0, series = 0, firstStep = 0, stride = 1, n = 0;
    std::int64_t lastStep() const { return firstStep + stride * (n - 1); }
    bool isPlausible() const {
        return n > 0 && n <= kChunkValues && stride > 0 && stride <= kLargestStride && firstStep >= -kLargestStep &&
               firstStep <= kLargestStep;
    }
};

struct EncodedChunk {
    Blob levels, data;
    std::uint32_t levelsChecksum = 0, dataChecksum = 0;
};
EncodedChunk encodeChunk(const ChunkRow& row, std::span<const float> values);

/// Nothing if the blob is damaged.
std::optional<std::vector<float>> decodeData(const ChunkRow& row, std::int64_t storedChecksum, Bytes blob);
std::optional<Levels> decodeLevels(const ChunkRow& row, std::int64_t storedChecksum, Bytes blob);

}  // namespace heddle::storage
