// SPDX-License-Identifier: Apache-2.0
#include "storage/chunk.h"

#include <array>

namespace heddle::storage {

namespace {
std::uint32_t checksumOf(const ChunkRow& row, Bytes blob) {
    return checksum(std::array{row.series, row.firstStep, row.stride, row.n}, blob);
}
}  // namespace

EncodedChunk encodeChunk(const ChunkRow& row, std::span<const float> values) {
    EncodedChunk chunk;
    chunk.levels = packLevels(summarise(values));
    chunk.data = packFloats(values);
    chunk.levelsChecksum = checksumOf(row, chunk.levels);
    chunk.dataChecksum = checksumOf(row, chunk.data);
    return chunk;
}

std::optional<std::vector<float>> decodeData(const ChunkRow& row, std::int64_t storedChecksum, Bytes blob) {
    bool whole = row.isPlausible() && blob.size() == static_cast<std::size_t>(row.n) * sizeof(float);
    if (!whole || checksumOf(row, blob) != storedChecksum) return std::nullopt;
    return unpackFloats(blob);
}

std::optional<Levels> decodeLevels(const ChunkRow& row, std::int64_t storedChecksum, Bytes blob) {
    if (!row.isPlausible() || checksumOf(row, blob) != storedChecksum) return std::nullopt;
    return unpackLevels(blob, row.n);
}

}  // namespace heddle::storage
