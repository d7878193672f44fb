// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

class Error;

/// A checked text file in memory.
struct TextFile {
    std::string path;
    std::vector<std::string> lines;  ///< without line ends, a byte order mark, or the CR of CR LF
    std::string sha256;              ///< of the whole contents, after gunzip
    std::uint64_t bytes = 0;         ///< of the contents, after gunzip
    std::vector<std::string> notes;  ///< what was removed (byte order mark, CR LF) or is unusual (lines that end in CR)
};

/// What ends a line of a file, judged by its beginning: LF; or CR where there is no LF but a CR (Excel's "CSV (Macintosh)").
char lineEndOf(std::string_view beginning);

/// The name of standard input in messages.
inline constexpr const char* kStandardInput = "standard input";

/// Longest accepted line, in bytes.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

/// Reads UTF-8 text, plain or gzip (the contents decide), line by line. LF ends a line, or CR as lineEndOf() tells; the last
/// one may lack it. `stopRequested` (may be empty) is polled; when true, throws Error("stopped"). Throws Error(InvalidInput)
/// naming file, line and column (in characters, from 1) for: a path that is missing, unreadable or no regular file, damaged or
/// cut gzip data, invalid UTF-8, NUL, a line over 16 MiB, gzip data that unpack to more lines than they have bytes, and an LF
/// behind lines that end in CR.
TextFile readTextFile(const std::string& path, const std::function<bool()>& stopRequested = {});

struct LineOptions {
    std::function<bool()> stopRequested;  ///< as above
    /// Receives the Error(InvalidInput) of a line that is not text or that the handler refused, with its number; reading
    /// continues when it returns. Empty: the error is thrown. Errors of the whole file (UTF-16, gzip) are always thrown.
    std::function<void(const Error&, std::int64_t number)> onBadLine;
};

/// One line and its number from 1; the text is valid during the call.
using LineHandler = std::function<void(std::string_view line, std::int64_t number)>;

/// Reads the same way without storing the lines: the result's `lines` is empty.
TextFile forEachLine(const std::string& path, const LineHandler& handler, const LineOptions& options = {});

/// Reads lines of standard input in the same way, each as soon as it is there; messages name the place kStandardInput.
void forEachLine(std::istream& in, const LineHandler& handler);

/// "FILE, line N, column C" (columns in characters, from 1) of the byte at `offset` in the line.
std::string placeInLine(const std::string& path, std::int64_t number, std::string_view line, std::size_t offset);

/// At most 60 characters of a text from `offset` on, safe to print: control characters, quotation marks and invalid UTF-8 are
/// escaped.
std::string safeExcerpt(std::string_view text, std::size_t offset = 0);

}  // namespace heddle
