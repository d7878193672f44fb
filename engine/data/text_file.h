// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// A checked text file in memory.
struct TextFile {
    std::string path;
    std::vector<std::string> lines;  ///< without line ends, a byte order mark, or the CR of CR LF
    std::string sha256;              ///< of the whole contents, after gunzip
    std::uint64_t bytes = 0;         ///< of the contents, after gunzip
    std::vector<std::string> notes;  ///< what was taken off: byte order mark, CR LF
};

/// Longest line that is accepted, in bytes.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

/// Reads UTF-8 text, plain or gzip (the contents decide), line by line. LF ends a line; the last one may lack it.
/// `stopRequested` (may be empty) is asked now and then; when true, throws Error("stopped").
/// Throws Error(InvalidInput) naming file, line and column (in characters, from 1) for: a path that is missing, unreadable or
/// no regular file, damaged or cut gzip data, invalid UTF-8, NUL, a line over 16 MiB.
TextFile readTextFile(const std::string& path, const std::function<bool()>& stopRequested = {});

/// The error that every interrupted reading, training or encoding ends with: code Failure, problem "stopped".
[[noreturn]] void throwStopped(const std::string& where);

}  // namespace heddle
