// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/readers/text_file.h"

#include <chrono>
#include <optional>

namespace heddle {

/// What reading a text file found, without its text.
struct FileFacts {
    std::string sha256;
    std::int64_t lines = 0;
    std::vector<std::string> notes;
};

/// Remembers what reading a file found, so that an unchanged file need not be read again to know it. Entries are small files of
/// the cache folder ("files/<hash of the path>.heddlecache"); several processes may share it.
///
/// An entry holds the file's device, inode, size and its times of change (contents and inode, in nanoseconds) and is used only
/// while all of them are as they were. Putting the old contents' time back (touch, cp -p) shows in the inode's time, which no
/// program can set. What is left is a change within one tick of the file system's clock after the reading: therefore a file
/// that changed less than `settle` before it was read, or while it was read, gets no entry.
class FileIndex {
public:
    explicit FileIndex(std::string folder, std::chrono::nanoseconds settle = std::chrono::seconds(2))
        : folder_(std::move(folder)), settle_(settle) {}

    /// What is known of the file as it is now, or nothing. An empty folder knows nothing.
    std::optional<FileFacts> find(const std::string& path) const;

    /// readTextFile(), and an entry for next time. A cache that cannot be written is no error here: DataCache says so.
    TextFile read(const std::string& path, const std::function<bool()>& stopRequested) const;

private:
    std::string entryOf(const std::string& path) const;

    std::string folder_;
    std::chrono::nanoseconds settle_;
};

}  // namespace heddle
