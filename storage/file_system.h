// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace heddle::storage {

/// Absolute path with symbolic links resolved where they exist: every name of a database leads to the same lock and inbox.
std::string realFile(const std::string& file);

/// What lies at a path before SQLite touches it.
enum class FileKind { Missing, Empty, RunDatabase, Other };

/// Disturbs no connection to it. Other: not a regular file, not SQLite, or SQLite with another application_id. Throws
/// StorageError InputOutput when the file cannot be read.
FileKind inspect(const std::string& file);

/// True where SQLite's shared memory and locks cannot be trusted: NFS, SMB, FUSE and their like (by statfs of the folder).
bool onNetworkFileSystem(const std::string& file);

/// For tests: replaces the answer of onNetworkFileSystem; nullptr restores it.
void overrideNetworkFileSystem(bool (*answer)(const std::string& file));

bool folderIsWritable(const std::string& file);
std::string folderOf(const std::string& file);

/// fsync of a file or folder. Throws StorageError InputOutput.
void syncToDisk(const std::string& path);

}  // namespace heddle::storage
