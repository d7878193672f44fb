// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// What a record says of a file below `folder`.
struct RecordedFile {
    std::string path;        ///< relative to the folder
    std::string sha256;      ///< 64 hexadecimal digits
    std::uint64_t most = 0;  ///< bytes: a larger file is not read, since a sparse one may be of any size; 0: unknown
};

/// Why the file below `folder` is not the one of the record: a link on the way, missing, larger, other contents, unreadable.
/// Empty: it is.
std::string recordedFileProblem(const std::string& folder, const RecordedFile& file);

}  // namespace heddle
