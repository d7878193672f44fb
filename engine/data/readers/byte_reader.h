// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

/// The contents of a file in blocks, gunzipped where they begin as gzip data does (whatever the name), with their SHA-256.
class ByteReader {
public:
    /// Opens without waiting. `stopRequested` (may be empty) is asked before every block; when true, read() throws
    /// Error("stopped"). Throws Error(InvalidInput) for a path that is missing, unreadable or no regular file, and for a name
    /// in .gz that holds no gzip data.
    explicit ByteReader(const std::string& path, std::function<bool()> stopRequested = {});
    ~ByteReader();

    /// The next bytes, at most 256 KiB, valid until the next call; empty at the end. Throws Error(InvalidInput) for damaged or
    /// cut gzip data, and for data that unpack to more than 64 MiB and 200 times the file.
    std::string_view read();

    std::uint64_t bytes() const;     ///< read so far, after gunzip
    std::uint64_t fileSize() const;  ///< on disk
    bool compressed() const;
    std::string sha256();  ///< of what was read; call once, after the end

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// All of a file, at most `limit` bytes after gunzip; throws Error(InvalidInput) as ByteReader does, and beyond the limit.
std::string readBytes(ByteReader& reader, const std::string& path, std::uint64_t limit);

}  // namespace heddle
