// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/text_file.h"

#include <chrono>
#include <optional>

namespace heddle {

/// Facts about a text file, without its text.
struct FileFacts {
    std::string sha256;
    std::int64_t lines = 0;
    std::vector<std::string> notes;
};

/// Caches facts about files, so that unchanged files need not be read again. Entries are small files in the cache folder
/// ("files/<hash of the path>.heddlecache"), which several processes may share.
///
/// An entry holds the file's device, inode, size, mtime and ctime (nanoseconds) and is valid only while all are unchanged.
/// Restoring an mtime (touch, cp -p) changes the ctime, which programs cannot set. A change within one clock tick of the file
/// system after reading would go unnoticed; therefore a file that changed less than `settle` before it was read, or while it
/// was read, gets no entry.
class FileIndex {
public:
    explicit FileIndex(std::string folder, std::chrono::nanoseconds settle = std::chrono::seconds(2))
        : folder_(std::move(folder)), settle_(settle) {}

    /// The facts about the file in its present state, if known. With an empty folder nothing is known.
    std::optional<FileFacts> find(const std::string& path) const;

    /// readTextFile(), and writes an entry. A cache that cannot be written is not an error here; DataCache reports it.
    TextFile read(const std::string& path, const std::function<bool()>& stopRequested) const;

private:
    std::string entryOf(const std::string& path) const;

    std::string folder_;
    std::chrono::nanoseconds settle_;
};

}  // namespace heddle
