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

/// CRC-32 as in zlib, gzip and Python's zlib.crc32, over a header of 64-bit little-endian numbers (what the blob's row says of
/// it: dims, steps) and then the blob: a flipped bit in either is noticed.
std::uint32_t checksum(std::span<const std::int64_t> header, Bytes blob);

/// IEEE 754 half precision, round to nearest even; NaN stays NaN, what is too large becomes infinite.
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
/// Exactly `size` bytes again. Throws StorageError Corrupt when the blob holds anything else; allocates no more than it can
/// hold.
Blob inflated(Bytes packed, std::size_t size);

std::string tokensToJson(const std::vector<std::string>& tokens);
/// Nothing when it is no JSON array of strings.
std::optional<std::vector<std::string>> tokensFromJson(const std::string& json);

}  // namespace heddle::storage
