// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// No room for a file: the disk or the quota is full. Nothing that was there before is harmed.
class DiskFullError : public Error {
public:
    DiskFullError(const std::string& folder, std::uint64_t bytesNeeded);
    std::uint64_t bytesNeeded() const { return bytesNeeded_; }

private:
    std::uint64_t bytesNeeded_;
};

/// Durable file operations (short writes continued, every error looked at). They throw Error(Failure) naming the path and the
/// system's reason, or DiskFullError. A failed fsync is never tried again: the page may be lost and the second try would lie.

/// Creates `path` anew, writes the parts, syncs. Returns the SHA-256 of the bytes, lower-case hexadecimal.
std::string writeDurably(const std::string& path, const std::vector<std::string_view>& parts);
void syncFolder(const std::string& path);
/// Creates the folder and those above it where missing, and syncs the parents of what it made.
void createFolderDurably(const std::string& path);
/// Puts the folder `from` in the place of `to`, which may exist, in one step where the file system can; syncs the parent.
void replaceFolder(const std::string& from, const std::string& to);

/// The bytes of a regular file (not a FIFO, device or folder). Throws Error(InvalidInput).
std::string readCheckpointFile(const std::string& path);

/// Bytes a user may still write in the file system of `folder`.
std::uint64_t freeBytes(const std::string& folder);

}  // namespace heddle
