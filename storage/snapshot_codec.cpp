// SPDX-License-Identifier: Apache-2.0
#include "storage/snapshot_codec.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace heddle::storage {

namespace {

/// The bits of a number as read back from a REAL column: NaN canonical, −0 as 0.
std::int64_t bitsOf(double value) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value);
}

std::uint32_t checksumOf(const MapRecord& record, Bytes data) {
    return checksum(std::array{record.step, record.attempt, record.probe, record.heads, record.rows, record.columns}, data);
}

StorageError damaged(const MapRecord& record) {
    return {StorageError::Kind::Corrupt, fmt::format("the map of {} at step {} is damaged", record.path, record.step),
            record.run, "other records are not affected"};
}

}  // namespace

std::uint32_t checksumOf(const HistogramRecord& record, Bytes bins) {
    std::array header{record.step,
                      record.attempt,
                      bitsOf(record.low),
                      bitsOf(record.high),
                      static_cast<std::int64_t>(record.below),
                      static_cast<std::int64_t>(record.above),
                      static_cast<std::int64_t>(record.notFinite),
                      bitsOf(record.mean),
                      bitsOf(record.deviation),
                      bitsOf(record.minimum),
                      bitsOf(record.maximum)};
    return checksum(header, bins);
}

EncodedMap encodeMap(const MapRecord& record) {
    Blob halves = packHalves(record.values), packed = deflated(halves);
    bool smaller = packed.size() < halves.size();
    EncodedMap map{smaller ? "f16+zlib" : "f16", smaller ? std::move(packed) : std::move(halves), 0};
    map.checksum = checksumOf(record, map.data);
    return map;
}

std::vector<float> decodeMap(const MapRecord& record, const std::string& codec, std::int64_t storedChecksum, Bytes data) {
    constexpr std::int64_t kLargest = 1 << 16;  // per dimension; prevents overflow of the product
    bool sound = record.heads > 0 && record.rows > 0 && record.columns > 0 && record.heads <= kLargest &&
                 record.rows <= kLargest && record.columns <= kLargest && checksumOf(record, data) == storedChecksum;
    if (!sound) throw damaged(record);
    auto bytes = static_cast<std::size_t>(record.heads * record.rows * record.columns) * sizeof(std::uint16_t);
    if (codec == "f16+zlib") return unpackHalves(inflated(data, bytes));
    if (codec != "f16" || data.size() != bytes) throw damaged(record);
    return unpackHalves(data);
}

}  // namespace heddle::storage
