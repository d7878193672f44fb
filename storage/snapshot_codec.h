// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/blob.h"
#include "storage/records.h"

namespace heddle::storage {

/// Checksum over the bins and all numbers of the row.
std::uint32_t checksumOf(const HistogramRecord& record, Bytes bins);

struct EncodedMap {
    std::string codec;  ///< "f16+zlib", or "f16" where that is smaller
    Blob data;
    std::uint32_t checksum = 0;
};
EncodedMap encodeMap(const MapRecord& record);

/// Decodes the values of a map whose dims are set in `record`. Throws StorageError Corrupt when damaged.
std::vector<float> decodeMap(const MapRecord& record, const std::string& codec, std::int64_t storedChecksum, Bytes data);

}  // namespace heddle::storage
