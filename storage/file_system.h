// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace heddle::storage {

/// Absolute path with symbolic links resolved, so that all names of a database lead to the same lock and inbox.
std::string realFile(const std::string& file);

/// The kind of file at a path, before SQLite opens it.
enum class FileKind { Missing, Empty, RunDatabase, Other };

/// Does not disturb connections to the file. Other: not a regular file, not SQLite, or SQLite with another application_id.
/// Throws StorageError InputOutput when the file cannot be read.
FileKind inspect(const std::string& file);

/// Whether SQLite's shared memory and locks are unreliable: NFS, SMB, FUSE and similar (by statfs of the folder).
bool onNetworkFileSystem(const std::string& file);

/// For tests: replaces the answer of onNetworkFileSystem; nullptr restores it.
void overrideNetworkFileSystem(bool (*answer)(const std::string& file));

/// Whether the database was last written with a write-ahead log, by its header.
bool usesLog(const std::string& file);

bool folderIsWritable(const std::string& file);
std::string folderOf(const std::string& file);

/// Creates a missing file, readable and writable for this user alone. SQLite gives the log the same mode. Throws StorageError
/// InputOutput.
void createPrivate(const std::string& file);

/// Size in bytes; 0 if there is no such file.
std::uint64_t sizeOf(const std::string& file);

/// fsync of a file or folder. Throws StorageError InputOutput.
void syncToDisk(const std::string& path);

}  // namespace heddle::storage
