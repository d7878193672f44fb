// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

/// Reads a file in blocks and computes its SHA-256. Gzip data are recognised by their contents, not by the name, and unpacked.
class ByteReader {
public:
    /// Opens without blocking. `stopRequested` (may be empty) is polled before every block; when true, read() throws
    /// Error("stopped"). Throws Error(InvalidInput) for a path that is missing, unreadable or not a regular file, and for a .gz
    /// file that is not gzip data.
    explicit ByteReader(const std::string& path, std::function<bool()> stopRequested = {});
    ~ByteReader();

    /// The next bytes, at most 256 KiB, valid until the next call; empty at the end. Throws Error(InvalidInput) for damaged or
    /// truncated gzip data, and for data that unpack to more than 64 MiB and more than 200 times the file size.
    std::string_view read();

    std::uint64_t bytes() const;     ///< read so far, after gunzip
    std::uint64_t fileSize() const;  ///< on disk
    bool compressed() const;
    std::string sha256();  ///< of the bytes read; call once, at the end

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Refuses gzip data with more than a million lines (values, …: the plural `what`) and more of them than the file has bytes:
/// each takes far more memory than bytes, so that a small file of them would fill it. Throws Error(InvalidInput).
void refuseMany(std::uint64_t count, const std::string& what, const ByteReader& reader, const std::string& path);

/// Reads a whole file of at most `limit` bytes after gunzip; throws Error(InvalidInput) like ByteReader, and beyond the limit.
std::string readBytes(ByteReader& reader, const std::string& path, std::uint64_t limit);

}  // namespace heddle
