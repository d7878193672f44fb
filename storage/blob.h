// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::storage {

using Bytes = std::span<const std::uint8_t>;
using Blob = std::vector<std::uint8_t>;

/// CRC-32 as in zlib, gzip and Python's zlib.crc32, over a header of 64-bit little-endian numbers (the row's metadata: dims,
/// steps) followed by the blob. It detects a flipped bit in either.
std::uint32_t checksum(std::span<const std::int64_t> header, Bytes blob);

/// IEEE 754 half precision, round to nearest even; NaN stays NaN, overflow becomes infinity.
std::uint16_t halfFromFloat(float value);
float floatFromHalf(std::uint16_t half);  ///< exact

/// Little-endian images of numbers.
Blob packFloats(std::span<const float> values);
std::vector<float> unpackFloats(Bytes blob);
Blob packCounts(std::span<const std::uint32_t> values);
std::vector<std::uint32_t> unpackCounts(Bytes blob);
Blob packHalves(std::span<const float> values);
std::vector<float> unpackHalves(Bytes blob);

Blob deflated(Bytes plain);  ///< zlib format, fastest level
/// Decompresses to exactly `size` bytes. Throws StorageError Corrupt for any other result; never allocates more than the blob
/// can contain.
Blob inflated(Bytes packed, std::size_t size);

std::string tokensToJson(const std::vector<std::string>& tokens);
/// Nothing if it is not a JSON array of strings.
std::optional<std::vector<std::string>> tokensFromJson(const std::string& json);

}  // namespace heddle::storage
