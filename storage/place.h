// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::storage {

/// What a name leads to, whatever else it is called.
struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileIdentity&) const = default;
};

/// Nothing when no file has this name.
std::optional<FileIdentity> identityOf(const std::string& path);

/// When the file was last written, in nanoseconds of Unix time; 0 when no file has this name.
std::int64_t lastWriteOf(const std::string& path);

/// The present name of a file that this process has open; empty when it has none any more.
std::string nameOf(const FileIdentity& file);

/// Gives `from` the name `to` unless a file has it; false if one has. Throws StorageError InputOutput.
bool renameIfFree(const std::string& from, const std::string& to);

}  // namespace heddle::storage
