// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::storage {

/// Identifies a file independent of its names.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileIdentity&) const = default;
};

/// Nothing if there is no such file.
std::optional<FileIdentity> identityOf(const std::string& path);

/// Time of the last write in nanoseconds of Unix time; 0 if there is no such file.
std::int64_t lastWriteOf(const std::string& path);

/// The present name of a file that this process has open; empty if it was removed.
std::string nameOf(const FileIdentity& file);

/// Renames `from` to `to` unless that exists; returns whether it did. Throws StorageError InputOutput.
bool renameIfFree(const std::string& from, const std::string& to);

}  // namespace heddle::storage
