// SPDX-License-Identifier: Apache-2.0
#include "storage/blob.h"

#include "storage/records.h"

#include <zlib.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cstring>

namespace heddle::storage {

namespace {

// Numbers are copied in memory order.
static_assert(std::endian::native == std::endian::little, "a big-endian machine needs byte swaps here");

template <class T>
Blob pack(std::span<const T> values) {
    Blob blob(values.size_bytes());
    if (!blob.empty()) std::memcpy(blob.data(), values.data(), blob.size());
    return blob;
}

template <class T>
std::vector<T> unpack(Bytes blob) {
    std::vector<T> values(blob.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), blob.data(), values.size() * sizeof(T));
    return values;
}

StorageError damaged(const char* what) { return {StorageError::Kind::Corrupt, what, "", "other records are not affected"}; }

}  // namespace

std::uint32_t checksum(std::span<const std::int64_t> header, Bytes blob) {
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size_bytes());
    return static_cast<std::uint32_t>(blob.empty() ? crc : crc32_z(crc, blob.data(), blob.size()));
}

std::uint16_t halfFromFloat(float value) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    std::uint32_t magnitude = bits & 0x7fffffffU;
    constexpr std::uint32_t kInfinity = 0x7f800000U, kTooLarge = 0x477ff000U, kSmallestNormal = 0x38800000U;
    if (magnitude > kInfinity) return static_cast<std::uint16_t>(sign | 0x7e00U | (magnitude >> 13 & 0x3ffU));  // quiet NaN
    if (magnitude >= kTooLarge) return static_cast<std::uint16_t>(sign | 0x7c00U);  // 65520 and more round to infinity
    if (magnitude < kSmallestNormal) {
        // Adding 0.5 puts the half's last subnormal bit (2^-24) at the float's last bit, and the addition itself rounds to
        // even.
        auto shifted = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F);
        return static_cast<std::uint16_t>(sign | (shifted - std::bit_cast<std::uint32_t>(0.5F)));
    }
    std::uint32_t rounded = magnitude + 0xfffU + (magnitude >> 13 & 1U) - (112U << 23);  // exponent bias 127 to 15
    return static_cast<std::uint16_t>(sign | rounded >> 13);
}

float floatFromHalf(std::uint16_t half) {
    std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 0x1fU, fraction = half & 0x3ffU;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
    if (exponent == 0) {
        float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112U) << 23 | fraction << 13);
}

Blob packFloats(std::span<const float> values) { return pack(values); }
std::vector<float> unpackFloats(Bytes blob) { return unpack<float>(blob); }
Blob packCounts(std::span<const std::uint32_t> values) { return pack(values); }
std::vector<std::uint32_t> unpackCounts(Bytes blob) { return unpack<std::uint32_t>(blob); }

Blob packHalves(std::span<const float> values) {
    std::vector<std::uint16_t> halves(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) halves[i] = halfFromFloat(values[i]);
    return pack(std::span<const std::uint16_t>(halves));
}

std::vector<float> unpackHalves(Bytes blob) {
    auto halves = unpack<std::uint16_t>(blob);
    std::vector<float> values(halves.size());
    for (std::size_t i = 0; i < halves.size(); ++i) values[i] = floatFromHalf(halves[i]);
    return values;
}

Blob deflated(Bytes plain) {
    uLongf size = compressBound(static_cast<uLong>(plain.size()));
    Blob packed(size);
    if (compress2(packed.data(), &size, plain.data(), static_cast<uLong>(plain.size()), Z_BEST_SPEED) != Z_OK)
        throw StorageError(StorageError::Kind::Invalid, "cannot compress a record", "", "");
    packed.resize(size);
    return packed;
}

Blob inflated(Bytes packed, std::size_t size) {
    constexpr std::size_t kLargestRatio = 1032;  // of the deflate format
    if (size / kLargestRatio > packed.size()) throw damaged("a compressed record is damaged");
    Blob plain(size);
    auto got = static_cast<uLongf>(size);
    if (uncompress(plain.data(), &got, packed.data(), static_cast<uLong>(packed.size())) != Z_OK || got != size)
        throw damaged("a compressed record is damaged");
    return plain;
}

std::string tokensToJson(const std::vector<std::string>& tokens) {
    // Tokens may be parts of UTF-8 characters, which JSON cannot represent; they become U+FFFD.
    return nlohmann::json(tokens).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::vector<std::string>> tokensFromJson(const std::string& json) {
    auto parsed = nlohmann::json::parse(json, nullptr, false);
    if (!parsed.is_array()) return std::nullopt;
    std::vector<std::string> tokens;
    for (const auto& token : parsed) {
        if (!token.is_string()) return std::nullopt;
        tokens.push_back(token.get<std::string>());
    }
    return tokens;
}

}  // namespace heddle::storage
